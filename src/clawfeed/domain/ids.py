"""Names for the numbers that identify things, so that one cannot be passed for another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NewType, TypeAlias

SourceId = NewType("SourceId", int)
ItemId = NewType("ItemId", int)
UserId = NewType("UserId", int)
DigestId = NewType("DigestId", int)
TaskId = NewType("TaskId", int)
StoryId = NewType("StoryId", int)
ChannelId = NewType("ChannelId", int)
MessageId = NewType("MessageId", int)
AlarmId = NewType("AlarmId", int)
SessionId = NewType("SessionId", int)
ApiKeyId = NewType("ApiKeyId", int)
FeedTokenId = NewType("FeedTokenId", int)
PackId = NewType("PackId", int)
MarkId = NewType("MarkId", int)
VoteId = NewType("VoteId", int)

# Of a source that is only thought of.
NOT_STORED: Final = SourceId(0)

# What a `config`, `cursor` or `metadata` column may hold. Who reads types while the program runs
# cannot follow one that holds itself.
if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
    )
else:
    JsonValue = Any

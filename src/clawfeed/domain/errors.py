"""What can go wrong, named by what we do next."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Final

from clawfeed.domain.because import Because


class ClawFeedError(Exception):
    """Anything we can name. Its text is one sentence for the person who reads it."""


class ConfigError(ClawFeedError):
    """The operator must fix something: stop at start-up, exit code 2."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class RefusalCode(StrEnum):
    """Why somebody was refused: what a page says of it in Chinese stands under this code.

    In English it shows the refusal's own sentence, which names what it is about.
    """

    ADDRESS_MISSING = "address_missing"
    ADDRESS_TAKEN = "address_taken"
    ALARMS_FOR_ADMINS = "alarms_for_admins"
    APPRISE_ADDRESS = "apprise_address"
    CHANGED_MEANWHILE = "changed_meanwhile"
    CHANNEL_ELSEWHERE = "channel_elsewhere"
    CHANNEL_KIND = "channel_kind"
    CHANNEL_NOT_OFFERED = "channel_not_offered"
    CHANNEL_NOT_SET = "channel_not_set"
    CHANNEL_OPTION_LONG = "channel_option_long"
    CHANNEL_OPTION_UNKNOWN = "channel_option_unknown"
    CHANNEL_PAUSED = "channel_paused"
    CHANNEL_THERE = "channel_there"
    CHOICE_MISSING = "choice_missing"
    CREDENTIALS_TWICE = "credentials_twice"
    EDITIONS_A_DAY = "editions_a_day"
    EDITION_ARCHIVED = "edition_archived"
    EDITION_EMPTY = "edition_empty"
    EDITION_GOES_ON = "edition_goes_on"
    EDITION_LEAVING = "edition_leaving"
    EDITION_MOVED = "edition_moved"
    EDITION_NAME = "edition_name"
    EDITION_NONE_FAILED = "edition_none_failed"
    EDITION_NONE_WAITED_FOR = "edition_none_waited_for"
    EDITION_NOTHING_YET = "edition_nothing_yet"
    EDITION_NOT_BEGUN = "edition_not_begun"
    EDITION_PUBLISHED = "edition_published"
    EDITION_WRITTEN = "edition_written"
    FORM_TOO_LARGE = "form_too_large"
    GITHUB_BRANCH = "github_branch"
    GITHUB_FOLDER = "github_folder"
    GITHUB_REPOSITORY = "github_repository"
    GITHUB_TOKEN = "github_token"  # noqa: S105
    GUESSABLE_PASSWORD = "guessable_password"  # noqa: S105 -- a word for people
    HALF_QUIET = "half_quiet"
    HOUSE_FOR_ADMINS = "house_for_admins"
    INTEREST_EMPTY = "interest_empty"
    INTEREST_INVISIBLE = "interest_invisible"
    INTEREST_LONG = "interest_long"
    INTEREST_TWICE = "interest_twice"
    KEY_DAYS = "key_days"
    KEY_IN_ADDRESS = "key_in_address"
    NOTHING_COLLECTED = "nothing_collected"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOT_THERE = "not_there"
    OTHER_SITE = "other_site"
    PAGE_OUTDATED = "page_outdated"
    PARAMETER_UNKNOWN = "parameter_unknown"
    PREVIEWS_BUSY = "previews_busy"
    REGISTRATION_CLOSED = "registration_closed"
    RIGHT_MISSING = "right_missing"
    SETTING_FIXED = "setting_fixed"
    SIGN_IN_FIRST = "sign_in_first"
    SIGN_IN_FRESHLY = "sign_in_freshly"
    SOURCE_CREATOR = "source_creator"
    SOURCE_NAME = "source_name"
    SOURCE_SETTINGS = "source_settings"
    SOURCE_TYPE = "source_type"
    WEBHOOK_URL = "webhook_url"
    KEY_TOO_LONG = "key_too_long"
    KEY_TOO_STRONG = "key_too_strong"
    LAST_ADMIN = "last_admin"
    LINK_OF_ANOTHER = "link_of_another"
    LINK_SPENT = "link_spent"
    LIST_ENTRY_ADDRESS = "list_entry_address"
    LIST_MISSING = "list_missing"
    LIST_TOO_LONG = "list_too_long"
    LIST_UNREADABLE = "list_unreadable"
    LONG_PASSWORD = "long_password"  # noqa: S105
    MASKED_SECRET = "masked_secret"  # noqa: S105
    MESSAGE_EMPTY = "message_empty"
    MESSAGE_MOVED = "message_moved"
    MESSAGE_NOT_DROPPED = "message_not_dropped"
    MESSAGE_NOT_RESENT = "message_not_resent"
    NO_ACCOUNT = "no_account"
    NO_SECRETS_KEY = "no_secrets_key"
    NOT_CONFIRMED = "not_confirmed"
    NTFY_TOKEN = "ntfy_token"  # noqa: S105
    NTFY_TOPIC = "ntfy_topic"
    OWN_ACCOUNT = "own_account"
    OWN_ADDRESS = "own_address"
    PACK_OF_ANOTHER = "pack_of_another"
    PACK_THERE = "pack_there"
    PROVIDER_MISSING = "provider_missing"
    PROVIDER_UNREACHABLE = "provider_unreachable"
    QUIET_SAME = "quiet_same"
    SECRET_MISSING = "secret_missing"  # noqa: S105
    SHORT_PASSWORD = "short_password"  # noqa: S105
    SIGN_IN_AGAIN = "sign_in_again"
    SIGNING_KEY = "signing_key"
    SOURCE_FOLLOWED = "source_followed"
    SOURCE_MISSING = "source_missing"
    SOURCE_OF_ANOTHER = "source_of_another"
    SOURCE_PAUSED = "source_paused"
    SOURCE_PERSONAL = "source_personal"
    SOURCE_SECRET = "source_secret"  # noqa: S105
    SOURCE_THERE = "source_there"
    SOURCE_UNFOLLOWED = "source_unfollowed"
    TELEGRAM_CHAT = "telegram_chat"
    TELEGRAM_TOKEN = "telegram_token"  # noqa: S105
    TOO_MANY = "too_many"
    TOO_MANY_A_MINUTE = "too_many_a_minute"
    TOO_MANY_AT_ONCE = "too_many_at_once"
    TOO_MANY_ATTEMPTS = "too_many_attempts"
    TOO_MANY_TODAY = "too_many_today"
    USER_EMAIL = "user_email"
    USER_NAME_INVISIBLE = "user_name_invisible"
    USER_NAME_LONG = "user_name_long"
    WHOLE_MINUTES = "whole_minutes"
    WRONG_CREDENTIALS = "wrong_credentials"
    WRONG_LANGUAGE = "wrong_language"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105
    WRONG_TIME = "wrong_time"
    WRONG_ZONE = "wrong_zone"
    X_CODE = "x_code"
    X_DENIED = "x_denied"
    X_ELSEWHERE = "x_elsewhere"
    X_NOT_CONNECTED = "x_not_connected"
    X_NOT_SET_UP = "x_not_set_up"
    X_SIGNED_OUT = "x_signed_out"
    X_STALE = "x_stale"
    X_UNREACHABLE = "x_unreachable"


class UserError(ClawFeedError):
    """The person asking must change the request: 4xx, a form message, exit code 1.

    *told* is what pages say in its place, filled with *parts*; None where no page can show it.
    *field* is what was filled in wrong, as a program's request names its place: the text begins
    with that, and a page puts the form's own label before *sentence*.
    """

    # For a family whose errors all mean the same to who reads a page.
    usual: ClassVar[RefusalCode | None] = None

    def __init__(
        self,
        sentence: str = "",
        told: RefusalCode | None = None,
        *,
        field: str = "",
        **parts: object,
    ) -> None:
        super().__init__(f"{field}: {sentence}" if field else sentence)
        self.sentence, self.field = sentence, field
        self.told, self.parts = told or self.usual, parts


class NotFoundError(UserError):
    """The thing asked for does not exist, or is not theirs to see."""

    usual = RefusalCode.NOT_THERE


class AlreadyExistsError(UserError):
    """The thing to be made is there already."""


class ChangedMeanwhileError(UserError):
    """Somebody else changed it after they looked: what they ask for may not be what they want."""

    usual = RefusalCode.CHANGED_MEANWHILE


class NotAllowedError(UserError):
    """They may not do this."""


class SignInAgainError(NotAllowedError):
    """They may, once they have proved who they are again."""

    usual = RefusalCode.SIGN_IN_FRESHLY


class QuotaError(NotAllowedError):
    """They have as much of it as one person may; something has to go first (T26)."""


class InvalidInputError(UserError):
    """What they sent cannot be used."""


class Reason(StrEnum):
    """Why a poll failed, in families people can act on. Stored and shown."""

    UNREACHABLE = "unreachable"  # no connection: DNS, TCP, TLS
    TIMED_OUT = "timed_out"
    BUSY = "busy"  # 429 and friends: we come too often
    REFUSED = "refused"  # 403: they do not want us
    AUTH_REQUIRED = "auth_required"  # 401, or a login that expired
    GONE = "gone"  # 404, 410
    BROKEN = "broken"  # 5xx: their fault, may pass
    UNREADABLE = "unreadable"  # an answer we cannot make sense of
    TOO_LARGE = "too_large"
    BLOCKED = "blocked"  # our own guard said no (private address, bad URL)
    MISCONFIGURED = "misconfigured"  # the source's config cannot work
    OFFLINE = "offline"  # our own network is down: nobody's fault
    OUR_BUG = "our_bug"


# How a connection failed, which tells of our own network: only who may know it is told which.
NO_CONNECTION: Final = frozenset({Reason.UNREACHABLE, Reason.TIMED_OUT, Reason.OFFLINE})


class WorldError(ClawFeedError):
    """The other side failed us. *detail* is plain text without secrets or full URLs.

    *status* is the HTTP status if there was one; *wait* is how long the server asked us to wait.
    *postponed* is the rule by which nobody was asked at all: then it is nobody's failure.
    *refused* is the host and port that our own guard said no to, and `EGRESS_ALLOW` could let pass.
    *is_doubtful*: nobody has answered since it was tried, so it may be our own network.
    """

    def __init__(
        self,
        reason: Reason,
        detail: str,
        *,
        status: int | None = None,
        wait: timedelta | None = None,
        postponed: Because | None = None,
        refused: tuple[str, int] | None = None,
        is_doubtful: bool = False,
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.status = status
        self.wait = wait
        self.postponed = postponed
        self.refused = refused
        self.is_doubtful = is_doubtful


class EgressError(WorldError):
    """A request that did not bring an answer; raised by `egress` alone.

    *was_sent* says whether anything of it may have left this machine. False is certain: it was
    refused here, it waited for its turn, or no connection came about. True is not: a request
    that was written may be lost, read, or carried out.
    """

    was_sent: bool = False


class SourceError(WorldError):
    """A source that cannot be read now: becomes a `Failed` outcome, stored and shown."""


class PublishError(WorldError):
    """A channel that did not take the edition: back off, or pause it and tell its owner."""


class ModelError(WorldError):
    """The language model said no: the digest falls back to the sources' own words."""


class LeaseLostError(ClawFeedError):
    """A newer claim took over while we worked: drop our result."""


class StorageError(ClawFeedError):
    """Our database failed: loops doze and try again, the API answers 503."""

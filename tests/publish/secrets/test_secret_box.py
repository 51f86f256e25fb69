"""What is sealed opens with its key, for its channel, under its name, and not otherwise."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from clawfeed.domain.errors import InvalidInputError, StorageError
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.secret import Secret
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.publish.secrets.secret_box import SecretBox
from clawfeed.publish.secrets.secret_key import HouseKey, KeyFile, SetKey, key_holder
from clawfeed.storage.channels.channel_secrets import SealedSecrets

ONE, TWO = ChannelId(1), ChannelId(2)
CANARY = "canary-4f1c"
SECRETS = {"token": Secret(CANARY), "user": Secret("ännä\udcff")}
KEY = Secret("a-key-that-nobody-guesses-0123456789")


def box_with(key: Secret | None) -> SecretBox:
    return SecretBox(SetKey(key))


def sealed_for(channel: ChannelId, box: SecretBox) -> SealedSecrets:
    sealed = box.seal(channel, SECRETS)
    assert sealed is not None
    return sealed


def test_what_is_sealed_opens_again_and_shows_nothing() -> None:
    box = box_with(KEY)

    sealed = sealed_for(ONE, box)

    assert box_with(KEY).open(ONE, sealed) == SECRETS
    assert sealed.names == {"token", "user"}
    assert all(CANARY.encode() not in each for each in sealed.by_name.values())
    assert CANARY not in repr(sealed)
    assert sealed_for(ONE, box).by_name["token"] != sealed.by_name["token"]  # a nonce of its own


def test_only_what_is_new_is_sealed_anew() -> None:
    box = box_with(KEY)
    before = sealed_for(ONE, box)

    after = box.seal(ONE, {"user": Secret("ben")}, before)

    assert after is not None
    assert after.by_name["token"] == before.by_name["token"]
    assert box.open(ONE, after) == {"token": SECRETS["token"], "user": Secret("ben")}
    assert box.seal(ONE, {}, before) == before
    assert box.seal(ONE, {}, None) is None
    assert box.open(ONE, None) == {}


def swapped(sealed: SealedSecrets) -> SealedSecrets:
    token, user = sealed.by_name["token"], sealed.by_name["user"]
    return replace(sealed, by_name={"token": user, "user": token})


def tampered(sealed: SealedSecrets) -> SealedSecrets:
    token = bytearray(sealed.by_name["token"])
    token[-1] ^= 1
    return replace(sealed, by_name={"token": bytes(token)})


def test_rows_that_were_moved_swapped_cut_or_tampered_with_do_not_open() -> None:
    box = box_with(KEY)
    sealed = sealed_for(ONE, box)
    cut = replace(sealed, by_name={"token": b"short"})

    for channel, each in (
        (TWO, sealed), (ONE, swapped(sealed)), (ONE, tampered(sealed)), (ONE, cut),
    ):  # fmt: skip
        with pytest.raises(SendError, match="are damaged: enter them again") as raised:
            box.open(channel, each)
        assert raised.value.verdict is RetryVerdict.PAUSE


@pytest.mark.parametrize("key", [Secret("another-key-that-nobody-guesses-42"), None])
def test_another_key_says_that_they_must_be_entered_again(key: Secret | None) -> None:
    sealed = sealed_for(ONE, box_with(KEY))
    box = box_with(key)

    with pytest.raises(SendError, match="sealed with another key: enter them again"):
        box.open(ONE, sealed)
    assert not box.can_open(sealed)
    assert box.seal(ONE, {}, sealed) is None
    if key:
        anew = box.seal(ONE, {"user": Secret("ben")}, sealed)
        assert anew is not None
        assert box.open(ONE, anew) == {"user": Secret("ben")}


def test_keys_for_two_uses_are_two_keys() -> None:
    key = SetKey(KEY).get_or_make()

    assert len({key.sealing, key.signing, KEY.reveal().encode()}) == 3
    assert KEY.reveal() not in repr(key)
    assert key.key_id not in (key.sealing.hex(), key.signing.hex())


def test_without_a_key_or_a_place_for_one_nothing_is_sealed() -> None:
    with pytest.raises(InvalidInputError, match="must set SECRETS_KEY"):
        SecretBox(key_holder(None, None)).seal(ONE, SECRETS)


def test_the_key_file_is_made_on_first_need_for_its_owner_alone(tmp_path: Path) -> None:
    database = tmp_path / "clawfeed.db"
    file = tmp_path / "clawfeed.db.key"
    box = SecretBox(key_holder(None, database))

    with pytest.raises(SendError):
        box.open(ONE, SealedSecrets(by_name={}, key_id="old"))
    assert not file.exists()
    sealed = sealed_for(ONE, box)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert SecretBox(key_holder(None, database)).open(ONE, sealed) == SECRETS
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


class LateFinder(KeyFile):
    """Looks first before another has made the file, and makes it after."""

    has_looked = False

    def find(self) -> HouseKey | None:
        if not self.has_looked:
            self.has_looked = True
            return None
        return super().find()


def test_of_two_who_make_the_key_file_both_have_the_first_s_key(tmp_path: Path) -> None:
    file = tmp_path / "key"
    first = KeyFile(file).get_or_make()

    late = LateFinder(file).get_or_make()

    assert (late.key_id, [each.name for each in tmp_path.iterdir()]) == (first.key_id, ["key"])


@pytest.mark.parametrize("text", [b"", b"c2hvcnQ=", b"\xff" * 44])
def test_a_damaged_key_file_is_told_and_never_overwritten(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(text)

    with pytest.raises(StorageError, match="is damaged"):
        SecretBox(KeyFile(file)).seal(ONE, SECRETS)

    assert file.read_bytes() == text


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write the key file"):
        KeyFile(tmp_path / "nowhere" / "key").get_or_make()

"""Which passwords are accepted: long ones that are not everybody's first idea. No other rules.

A password is its UTF-8 bytes as typed: normalising would make two keyboards' passwords one.
"""

from __future__ import annotations

import re

from clawfeed.domain.errors import InvalidInputError, RefusalCode

# Characters: shorter ones are guessed from a stolen hash. Bytes: longer ones only cost us work
# (RELIABILITY 6).
SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 1024
# As many different characters as a word has; `aaaaaaaaaaaa` and `abababababab` have fewer.
FEWEST_CHARACTERS = 5

# What people type when told "at least twelve": words of the usual lists that are long enough by
# themselves, or become so by repeating them or adding a year and a mark.
_WORD_LIST = """
abc access account admin adminadmin administrator alexander amanda america andrea andrew angel
anthony apple arsenal asdf asdfghjkl ashley august austin autumn babygirl badboy banana baseball
basketball batman beautiful benjamin blink blue bonjour boston brandon bulldog butterfly buster
cameron changeit changeme changemenow changethis charlie cheese chelsea chicago chocolate
christian christmas clawfeed company computer cookie corvette cowboy creative daniel danielle
database december default demo diamond dolphin dragon eagles elephant elizabeth eminem facebook
family february ferrari flower football forever freedom friday friend friends fuckyou gateway
gemini george ginger google guest guitar hannah harley heaven hello helloworld hockey hottie
hunter iloveu iloveyou internet invincible jackson january jasmine jennifer jessica jesus johnny
jordan joshua july june justin killer kitten knight lakers letmein letmeinnow liberty liverpool
login london love lovely loveme lovers madison maggie manager manchester march maria marina martin
master matrix matthew maverick mercedes merlin michael michelle mickey midnight mickeymouse monday
money monkey monster morgan mother mustang mypassword naruto natasha newyork nicholas nicole
november october oliver orange pass passw passwd passphrase password passwort patrick peanut
pepper phoenix player please pokemon princess private purple qazwsx qwer qwert qwerty qwertyui
qwertyuiop rainbow rangers raspberry reader rebecca redsox richard robert root samantha samsung
saturday scooter secret secretpassword secure september server service setup shadow silver slayer
snoopy snowball soccer software spiderman spring starwars steelers stephanie summer sunday
sunshine superman support supervisor sysadmin system taylor temp temporary test tester testing
testtest thomas thunder thursday tigers tinkerbell trustno tuesday ubuntu united user username
victoria vladimir wednesday welcome whatever william windows winner winter wizard yamaha yankees
yellow zaq zxcvbn zxcvbnm mima woaini nihao
"""
_WORDS = frozenset(_WORD_LIST.split())
_RUNS = (
    "abcdefghijklmnopqrstuvwxyz" * 2,
    "01234567890" * 3,
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "1q2w3e4r5t6y7u8i9o0p",
    "qazwsxedcrfvtgbyhnujmikolp",
)
# How people disguise a word: p4ssw0rd.
_DISGUISES = str.maketrans("013457@$!", "oleastasi")
_ORNAMENT = re.compile(r"[\W\d_]+")
_ENDS = re.compile(r"^[\W\d_]+|[\W\d_]+$")


def fault_of(password: str, *, email: str = "") -> InvalidInputError | None:
    """What is wrong with *password*, as one sentence without it; None if nothing is."""
    if len(password) < SHORTEST_PASSWORD:
        return InvalidInputError(
            f"the password is too short: use at least {SHORTEST_PASSWORD} characters",
            RefusalCode.SHORT_PASSWORD,
            least=SHORTEST_PASSWORD,
        )
    if len(password.encode("utf-8", "surrogatepass")) > LONGEST_PASSWORD:
        return InvalidInputError(
            f"the password is too long: use at most {LONGEST_PASSWORD} bytes",
            RefusalCode.LONG_PASSWORD,
            most=LONGEST_PASSWORD,
        )
    if _is_common(password.casefold()) or _is_address(password.casefold(), email.casefold()):
        return InvalidInputError(
            "the password is easy to guess: use several unrelated words, or a password manager",
            RefusalCode.GUESSABLE_PASSWORD,
        )
    return None


def require_strength(password: str, *, email: str = "") -> None:
    """Raise what `fault_of` finds."""
    fault = fault_of(password, email=email)
    if fault:
        raise fault


def _is_common(text: str) -> bool:
    if len(set(text)) < FEWEST_CHARACTERS or text.isdecimal() or _is_run(text):
        return True
    shapes = (text, _ENDS.sub("", text).translate(_DISGUISES))
    return any(_is_words(_ORNAMENT.sub(" ", shape)) for shape in shapes)


def _is_words(text: str) -> bool:
    """Whether one common word, however often, is all there is."""
    words = set(text.split())
    return len(words) == 1 and all(_once(word) in _WORDS or _is_run(word) for word in words)


def _is_run(text: str) -> bool:
    return len(text) >= 3 and any(text in run or text[::-1] in run for run in _RUNS)


def _once(word: str) -> str:
    """`passwordpassword` as `password`."""
    for size in range(1, len(word) // 2 + 1):
        if len(word) % size == 0 and word[:size] * (len(word) // size) == word:
            return word[:size]
    return word


def _is_address(text: str, email: str) -> bool:
    """Whether it is the e-mail address, or its first part with ornaments."""
    letters = {_ORNAMENT.sub("", part) for part in (email, email.partition("@")[0])}
    return bool(email) and (text == email or _ORNAMENT.sub("", text) in letters - {""})

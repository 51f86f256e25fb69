"""X's API v2, and a bridge that turns the same accounts into feeds."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from clawfeed.simulator.formats import RSS_TYPE, rss20
from clawfeed.simulator.news.deterministic_random import roll
from clawfeed.simulator.news.feed_model import Feed, Language, Shape, Story
from clawfeed.simulator.services.hackernews import points
from clawfeed.simulator.services.x_oauth import FIRST_READER, OAuth
from clawfeed.simulator.serving.http import Headers, Request
from clawfeed.simulator.serving.responses import Answer, Content, as_json, not_found
from clawfeed.simulator.world import World, x_id_at

APP_TOKEN = "simulated-app-token"  # noqa: S105 -- opens nothing but this simulator
USER_TOKEN = "simulated-user-token"  # noqa: S105
READER_ID = str(FIRST_READER)
LIST_ID = "1500000000000000001"
WINDOW_SECONDS = 900
LONGEST_POST = 280
FEWEST, MOST = 5, 100
FEWEST_SEARCHED = 10
SEARCHED = timedelta(days=7)
PROBLEMS = "https://api.twitter.com/2/problems"


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    id: int
    story: Story
    account: Feed

    @property
    def text(self) -> str:
        stop = "。" if self.account.language is Language.CHINESE else ". "
        return f"{self.story.title}{stop}{html.unescape(self.story.text)}"[:LONGEST_POST]


class X:
    """Answers below `/x/2/`, to whoever brings a known bearer token.

    An account is a feed whose id is its handle. *limit* requests per path and quarter of an hour.
    """

    def __init__(self, world: World, *, limit: int = 900) -> None:
        self._world = world
        self._limit = limit
        self._used: dict[tuple[str, int], int] = {}
        self.oauth = OAuth(world.clock)

    def answer(self, request: Request) -> Answer:
        if request.path.startswith("/x/2/oauth2/"):
            return self.oauth.answer(request)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        reader = READER_ID if token == USER_TOKEN else self.oauth.reader_of(token)
        if token != APP_TOKEN and reader is None:
            return _problem(401, "Unauthorized", "Unauthorized", "about:blank")
        left, headers = self._spend(request.path)
        if left < 0:
            answer = _problem(429, "Too Many Requests", "Too Many Requests", "about:blank")
        else:
            answer = self._route(request, reader)
        return replace(answer, headers=(*answer.headers, *headers))

    def _route(self, request: Request, reader: str | None) -> Answer:
        parts = tuple(request.path.removeprefix("/x/2/").split("/"))
        if parts == ME or parts[2:] in PERSONAL_LISTS:
            return self._personal(request, parts, reader)
        match parts:
            case ("users", "by", "username", name):
                return self._user(name)
            case ("users", number, "tweets"):
                return self._account(request, number)
            case ("lists", number, "tweets") if number == LIST_ID:
                return self._posts(request, "list", _is_any)
            case ("tweets", "search", "recent"):
                return self._search(request)
        return _missing()

    def _personal(self, request: Request, parts: tuple[str, ...], reader: str | None) -> Answer:
        if reader is None:
            return _users_only()
        number = int(reader) - FIRST_READER
        if parts == ME:
            name = f"demo_reader{number or ''}"
            return as_json({"data": {"id": reader, "name": "Demo Reader", "username": name}})
        if parts[1] != reader:
            kind = f"{PROBLEMS}/client-forbidden"
            return _problem(403, "Forbidden", "This is not yours to read.", kind)
        wanted = PERSONAL_LISTS[parts[2:]]
        return self._posts(request, parts[-1], lambda post: wanted(post, number))

    def _spend(self, path: str) -> tuple[int, Headers]:
        window = int(self._world.clock().timestamp()) // WINDOW_SECONDS
        used = self._used[path, window] = self._used.get((path, window), 0) + 1
        left = self._limit - used
        return left, (
            ("x-rate-limit-limit", str(self._limit)),
            ("x-rate-limit-remaining", str(max(0, left))),
            ("x-rate-limit-reset", str((window + 1) * WINDOW_SECONDS)),
        )

    def _user(self, name: str) -> Answer:
        account = find_account(self._world, name)
        if account:
            return as_json({"data": user(account)}, feed=account.id)
        error = {
            "value": name,
            "detail": f"Could not find user with username: [{name}].",
            "title": "Not Found Error",
            "resource_type": "user",
            "parameter": "username",
            "resource_id": name,
            "type": f"{PROBLEMS}/resource-not-found",
        }
        return as_json({"errors": [error]})  # X says this with status 200

    def _account(self, request: Request, number: str) -> Answer:
        for account in self._world.of_shape(Shape.X):
            if user(account)["id"] == number:
                return self._page(request, posts(self._world, [account]), account)
        return _missing()

    def _posts(self, request: Request, name: str, wanted: Callable[[Post], bool]) -> Answer:
        accounts = self._world.of_shape(Shape.X)
        chosen = [post for post in posts(self._world, accounts) if wanted(post)]
        answer = self._page(request, chosen, None)
        return replace(answer, feed=f"x-{name}")

    def _search(self, request: Request) -> Answer:
        """Posts with every word that is asked for, of the last seven days and no others."""
        words = request.parameter("query").lower().split()
        limit = request.parameter("max_results", "10")
        oldest = x_id_at(self._world.clock() - SEARCHED)
        since = request.parameter("since_id", "0")
        if not words or not limit.isdecimal() or int(limit) < FEWEST_SEARCHED:
            detail = f"`query` is empty, or `max_results` [{limit}] is not between 10 and 100"
        elif since.isdecimal() and 0 < int(since) < oldest:
            detail = f"'since_id' must be a tweet id created after [{oldest}]"
        else:
            return self._posts(
                request,
                "search",
                lambda post: post.id >= oldest and all(w in post.text.lower() for w in words),
            )
        return _problem(400, "Invalid Request", detail, f"{PROBLEMS}/invalid-request")

    def _page(self, request: Request, found: Sequence[Post], account: Feed | None) -> Answer:
        limit, since = request.parameter("max_results", "10"), request.parameter("since_id", "0")
        if not (limit.isdecimal() and since.isdecimal() and FEWEST <= int(limit) <= MOST):
            detail = f"The `max_results` query parameter value [{limit}] is not between 5 and 100"
            return _problem(400, "Invalid Request", detail, f"{PROBLEMS}/invalid-request")
        start = int(request.parameter("pagination_token", "0") or 0)
        newer = [post for post in found if post.id > int(since)]
        shown = newer[start : start + int(limit)]
        more = start + len(shown)
        value = _envelope(request, shown, self._world.clock())
        if more < len(newer):
            value["meta"] = {**_meta(shown), "next_token": str(more)}
        return as_json(
            value,
            keys=tuple(post.story.url for post in shown),
            feed=account.id if account else "",
            hold=account.hold.total_seconds() if account else 0.0,
        )


class Bridge:
    """Answers `/bridge/twitter/user/{name}`: an account as RSS, with the URLs X itself uses."""

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        account = find_account(self._world, request.path.rpartition("/")[2])
        if account is None:
            return not_found()
        return Answer(
            content=lambda: self._content(account),
            content_type=RSS_TYPE,
            tag=f"{roll(self._world.seed, account.id, self._world.count(account)):016x}",
            feed=account.id,
            hold=account.hold.total_seconds(),
        )

    def _content(self, account: Feed) -> Content:
        found = posts(self._world, [account])
        stories = [
            replace(post.story, title=post.text, author=f"@{account.id}", guid=post.story.url)
            for post in found
        ]
        body = rss20(account, f"https://x.com/{account.id}", stories)
        return Content(body.encode(), tuple(post.story.url for post in found))


def posts(world: World, accounts: Iterable[Feed]) -> list[Post]:
    """The latest posts of *accounts*, newest first."""
    found = [
        Post(id=int(story.url.rpartition("/")[2]), story=story, account=account)
        for account in accounts
        for story in world.stories(account)
    ]
    return sorted(found, key=lambda post: post.id, reverse=True)


def find_account(world: World, handle: str) -> Feed | None:
    account = world.feeds.get(handle.lstrip("@").lower())
    return account if account and account.shape is Shape.X else None


def user(account: Feed) -> dict[str, object]:
    number = str(10**17 + roll("x user", account.id) % 10**17)
    return {"id": number, "name": account.title, "username": account.id}


def _envelope(request: Request, shown: Sequence[Post], now: datetime) -> dict[str, object]:
    """Posts with the fields that were asked for, and no others: X is strict about it."""
    fields = set(request.parameter("tweet.fields").split(","))
    value: dict[str, object] = {"meta": _meta(shown)}
    if shown:
        value["data"] = [_tweet(post, fields, now) for post in shown]
    if shown and "author_id" in request.parameter("expansions").split(","):
        accounts = {post.account.id: post.account for post in shown}
        value["includes"] = {"users": [user(account) for account in accounts.values()]}
    return value


def _tweet(post: Post, fields: set[str], now: datetime) -> dict[str, object]:
    likes = points(post.story, now)
    everything: dict[str, object] = {
        "author_id": user(post.account)["id"],
        "created_at": post.story.published_at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "lang": post.account.language.value,
        "public_metrics": {
            "retweet_count": likes // 5,
            "reply_count": likes // 9,
            "like_count": likes,
            "quote_count": likes // 30,
            "bookmark_count": likes // 12,
            "impression_count": likes * 87,
        },
    }
    number = str(post.id)
    tweet: dict[str, object] = {"id": number, "text": post.text, "edit_history_tweet_ids": [number]}
    return tweet | {name: value for name, value in everything.items() if name in fields}


def _meta(shown: Sequence[Post]) -> dict[str, object]:
    if not shown:
        return {"result_count": 0}
    newest, oldest = str(shown[0].id), str(shown[-1].id)
    return {"result_count": len(shown), "newest_id": newest, "oldest_id": oldest}


def _problem(status: int, title: str, detail: str, kind: str) -> Answer:
    value = {"title": title, "type": kind, "status": status, "detail": detail}
    return replace(
        as_json(value, status=status), content_type="application/problem+json; charset=utf-8"
    )


def _missing() -> Answer:
    kind = f"{PROBLEMS}/resource-not-found"
    return _problem(404, "Not Found", "Nothing is here.", kind)


def _users_only() -> Answer:
    detail = "Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint."
    kind = f"{PROBLEMS}/unsupported-authentication"
    return _problem(403, "Unsupported Authentication", detail, kind)


def _is_any(post: Post) -> bool:
    del post
    return True


ME = ("users", "me")
# What belongs to a reader, and so needs their token; each of them bookmarked something else.
PERSONAL_LISTS: dict[tuple[str, ...], Callable[[Post, int], bool]] = {
    ("bookmarks",): lambda post, reader: post.story.dice % 5 == reader % 5,
    ("liked_tweets",): lambda post, reader: post.story.dice % 3 == (1 + reader) % 3,
    ("timelines", "reverse_chronological"): lambda _post, _reader: True,
}

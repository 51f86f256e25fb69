"""What the accounts' endpoints take and give. Unknown fields are refused, never ignored (T13)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from clawfeed.api.http.request_fields import Body
from clawfeed.api.http.value_json import iso
from clawfeed.domain.people.people import Role, Scope, User
from clawfeed.storage.audit import Event
from clawfeed.storage.people.api_keys import ApiKey
from clawfeed.storage.people.sessions import Session
from clawfeed.storage.people.users import Account

# In characters; `domain.people.passwords` has the limits in bytes and the sentences for people.
_PASSWORD = Field(max_length=1024)
_EMAIL = Field(max_length=320)
_NAME = Field(max_length=200)


def _shape(**example: str | int) -> ConfigDict:
    return ConfigDict(json_schema_extra={"example": {**example}})


class Credentials(Body):
    model_config = _shape(email="anna@example.org", password="four unrelated words here")  # noqa: S106

    email: str = _EMAIL
    password: str = _PASSWORD


class SetupRequest(Body):
    model_config = _shape(token="from-the-link", password="four unrelated words here")  # noqa: S106

    token: str = Field(max_length=100)
    password: str = _PASSWORD
    email: str | None = Field(default=None, max_length=320)
    name: str | None = Field(default=None, max_length=200)


class Registration(Body):
    model_config = _shape(email="anna@example.org", password="four unrelated words here")  # noqa: S106

    email: str = _EMAIL
    password: str = _PASSWORD
    name: str | None = Field(default=None, max_length=200)


class PasswordChange(Body):
    model_config = _shape(current="the old one", new="four unrelated words here")

    current: str = _PASSWORD
    new: str = _PASSWORD


class KeyRequest(Body):
    """*days* is how long it works: a year unless said otherwise, ten at most.

    A key that is made with a key ends with it.
    """

    model_config = _shape(name="backup script", scope="read", days=90)

    name: str = _NAME
    scope: Scope = Scope.READ
    days: int | None = Field(default=None, strict=True, ge=1, le=3650)


class Invitation(Body):
    model_config = _shape(email="ben@example.org", name="Ben")

    email: str = _EMAIL
    name: str | None = Field(default=None, max_length=200)


class UserChange(Body):
    model_config = _shape(role="admin")

    role: Role | None = None
    is_disabled: StrictBool | None = None


class UserSchema(BaseModel):
    example: ClassVar[dict[str, Any]] = {
        "id": 2,
        "email": "anna@example.org",
        "name": "Anna",
        "slug": "anna",
        "role": "user",
        "is_disabled": False,
    }
    model_config = ConfigDict(json_schema_extra={"example": example})

    id: int
    email: str
    name: str
    slug: str
    role: Role
    is_disabled: bool


class MeSchema(BaseModel):
    """*fresh* says whether keys and people may be changed without signing in again."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user": UserSchema.example, "scope": "write", "fresh": True}}
    )

    user: UserSchema
    scope: Scope
    fresh: bool


class SessionSchema(BaseModel):
    id: int
    client: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    is_current: bool


class SessionsSchema(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "sessions": [
                    {
                        "id": 7,
                        "client": "192.0.2.1 Mozilla/5.0",
                        "created_at": "2026-11-15T12:00:00Z",
                        "last_seen_at": "2026-11-15T12:05:00Z",
                        "expires_at": "2027-01-14T12:00:00Z",
                        "is_current": True,
                    }
                ],
                "next_cursor": None,
            }
        }
    )

    sessions: list[SessionSchema]
    next_cursor: str | None


class KeySchema(BaseModel):
    example: ClassVar[dict[str, Any]] = {
        "id": 3,
        "name": "backup script",
        "prefix": "cf_4fZq81Lm",
        "last4": "9xQ2",
        "scope": "read",
        "created_at": "2026-11-15T12:00:00Z",
        "expires_at": "2027-11-15T12:00:00Z",
        "last_used_at": None,
    }
    model_config = ConfigDict(json_schema_extra={"example": example})

    id: int
    name: str
    prefix: str
    last4: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class KeysSchema(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"example": {"keys": [KeySchema.example], "next_cursor": None}}
    )

    keys: list[KeySchema]
    next_cursor: str | None


class NewKeySchema(KeySchema):
    """*key* is shown here and never again."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {**KeySchema.example, "key": "cf_4fZq81Lm_…43 characters…9xQ2"}
        }
    )

    key: str


class PersonSchema(UserSchema):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                **UserSchema.example,
                "has_password": True,
                "created_at": "2026-11-15T12:00:00Z",
                "first_login_at": None,
            }
        }
    )

    has_password: bool
    created_at: datetime
    first_login_at: datetime | None


class PeopleSchema(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "users": [
                    {
                        **UserSchema.example,
                        "has_password": True,
                        "created_at": "2026-11-15T12:00:00Z",
                        "first_login_at": None,
                    }
                ],
                "next_cursor": None,
            }
        }
    )

    users: list[PersonSchema]
    next_cursor: str | None


class InvitedSchema(BaseModel):
    """*link* is shown here and never again; it works once, for a day."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"user": UserSchema.example, "link": "https://feeds.example/setup/…"}
        }
    )

    user: UserSchema
    link: str


class EventSchema(BaseModel):
    id: int
    created_at: datetime
    user_id: int | None
    action: str
    detail: str
    client: str


class EventsSchema(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "events": [
                    {
                        "id": 12,
                        "created_at": "2026-11-15T12:00:00Z",
                        "user_id": 1,
                        "action": "key_created",
                        "detail": "key 3 (read)",
                        "client": "192.0.2.1",
                    }
                ],
                "next_cursor": None,
            }
        }
    )

    events: list[EventSchema]
    next_cursor: str | None


def user_as_json(user: User) -> dict[str, object]:
    return {
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "slug": user.slug,
        "role": str(user.role),
        "is_disabled": user.is_disabled,
    }


def account_as_json(account: Account) -> dict[str, object]:
    return {
        **user_as_json(account.user),
        "has_password": account.password_hash is not None,
        "created_at": iso(account.created_at),
        "first_login_at": iso(account.first_login_at),
    }


def session_as_json(session: Session, current: int | None) -> dict[str, object]:
    return {
        "id": session.id,
        "client": session.client,
        "created_at": iso(session.created_at),
        "last_seen_at": iso(session.last_seen_at),
        "expires_at": iso(session.expires_at),
        "is_current": session.id == current,
    }


def key_as_json(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "prefix": f"cf_{key.key_id}",
        "last4": key.last4,
        "scope": str(key.scope),
        "created_at": iso(key.created_at),
        "expires_at": iso(key.expires_at),
        "last_used_at": iso(key.last_used_at),
    }


def event_as_json(event: Event) -> dict[str, object]:
    return {
        "id": event.id,
        "created_at": iso(event.at),
        "user_id": event.user_id,
        "action": event.action,
        "detail": event.detail,
        "client": event.client,
    }

"""What the accounts' endpoints take and give. Unknown fields are refused, never ignored (T13)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from clawfeed.api.http.request_fields import Body
from clawfeed.domain.moments import iso
from clawfeed.domain.people.users import Role, Scope, User
from clawfeed.storage.audit import AuditEvent
from clawfeed.storage.people.users import Account

# In characters; `domain.people.passwords` has the real limits and the sentences for people.
_PASSWORD = Field(max_length=1024)
_EMAIL = Field(max_length=320)


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


def event_as_json(event: AuditEvent) -> dict[str, object]:
    return {
        "id": event.id,
        "created_at": iso(event.at),
        "user_id": event.user_id,
        "action": event.action,
        "detail": event.detail,
        "client": event.client,
    }

"""Who may change a pack they can see."""

from __future__ import annotations

from clawfeed.domain.errors import NotAllowedError, RefusalCode
from clawfeed.domain.people.users import Caller
from clawfeed.storage.sources.packs import Pack, PackStore


def may_change(pack: Pack, caller: Caller | None) -> bool:
    """Whether it is their own, or a public one and they are an admin."""
    return caller is not None and (pack.is_of(caller.user.id) or caller.is_admin)


async def changeable(store: PackStore, caller: Caller, slug: str) -> Pack:
    """The pack, if the caller may change it; somebody else's private one is not found."""
    pack = await store.get(caller.user.id, slug)
    if not may_change(pack, caller):
        raise NotAllowedError(
            "only its owner and admins may change this pack", RefusalCode.PACK_OF_ANOTHER
        )
    return pack

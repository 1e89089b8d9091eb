"""The runs that one principal sees: its own, and others that its permissions or a shared conversation allow."""

from __future__ import annotations

from remit.core.call_checks import check_typed_calls
from remit.engine.result import RunId
from remit.engine.sharing import CANCEL_PERMISSION, READ_PERMISSION, Access, has_access, is_part, may_as_owner
from remit.errors import RequestDeniedError, RequestError, RequestNotFoundError
from remit.journal.conversations import conversation_key
from remit.journal.index import RESTING_STATUSES
from remit.journal.ports import RunRow, Store
from remit.record.principal import Principal, check_principal
from remit.shown import show_id


@check_typed_calls(RequestError)
class VisibleRuns:
    """The runs that ``principal`` sees in ``application``, or in all applications if it is empty.

    Objects that the principal may not see do not exist for it: the id of another tenant, of another principal's run and
    of no run are refused with the same message.

    Raises:
        RequestError: the principal is anonymous.
    """

    def __init__(self, store: Store, principal: Principal, *, application: str) -> None:
        check_principal("client", principal)
        if principal.is_anonymous:
            raise RequestError("a client needs an authenticated principal, because runs belong to principals by name")
        self.principal = principal
        self._store = store
        self._application = application

    async def cancellable(self, run: RunId) -> RunRow:
        """The index row of a run that the principal may cancel: its own, or with ``runs:cancel`` any run of the tenant.

        The owner of a conversation may cancel the runs of others that wait in it. An API token needs ``runs:cancel``
        for all of this.

        Raises:
            RequestError: the run does not exist for this principal, or they may only read it.
        """
        return await self._visible_run(run, CANCEL_PERMISSION, "own")

    async def _visible_run(self, run: str, permission: str = READ_PERMISSION, access: Access = "read") -> RunRow:
        """The row of a run of the principal, or with ``permission`` of any run of the tenant.

        A principal with ``access`` to a conversation also sees its runs, except direct calls. Access beyond reading is
        denied; a run that they may not read does not exist.
        """
        row = await self._store.find_run(run)
        if row is not None and self._has_run(row):
            if self._may(permission, row.target) or (self._owns(row) and self._may_as_owner(permission, row.target)):
                return row
            may_be_shared = permission == READ_PERMISSION or row.status in ("queued", *RESTING_STATUSES)
            if may_be_shared and is_part(row) and await self._has_access(row, access):
                return row
        if (permission, access) != (READ_PERMISSION, "read"):
            is_own = self._owns(await self._visible_run(run))
            mend = f", with an API token without the permission {permission}" if is_own else ""
            raise RequestDeniedError(f"{self.principal.name} may only read run {show_id(run)}{mend}")
        raise RequestNotFoundError(f"run {show_id(run)} does not exist")

    async def _has_access(self, row: RunRow, access: Access) -> bool:
        return has_access(self.principal, await self._store.find_conversation(conversation_key(row)), access)

    def _may(self, permission: str, target: str) -> bool:
        return self.principal.at(target).may(permission)

    def _may_as_owner(self, permission: str, target: str) -> bool:
        return permission == READ_PERMISSION or may_as_owner(self.principal, permission, target)

    def _has_run(self, row: RunRow) -> bool:
        return row.tenant == self.principal.tenant and not row.erased and self._application in ("", row.application)

    def _lists_run(self, row: RunRow) -> bool:
        """Whether `runs` lists a run: the run is the principal's own, or the principal may read it."""
        return self._has_run(row) and (self._owns(row) or self._may(READ_PERMISSION, row.target))

    def _owns(self, row: RunRow) -> bool:
        return row.principal == self.principal.name

"""Sheets: read, write and append cells as the configured account."""

from __future__ import annotations

from remit.tools import check_approved_state
from remit_casefile.google.payloads.sheets import (
    AppendedValues,
    AppendValues,
    BatchGet,
    UpdatedValues,
    UpdateValues,
    ValueRanges,
)
from remit_casefile.google.transport import Transport, quote_segment
from remit_casefile.google.write_confirmation import write_untraced


class SheetsClient:
    """The spreadsheets accessible to one account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def batch_get(self, payload: BatchGet) -> ValueRanges:
        """Read one or more ranges of cells in a spreadsheet."""
        params = {"ranges": payload.ranges, "valueRenderOption": payload.value_render, "majorDimension": "ROWS"}
        url = f"{self._values_url(payload.spreadsheet_id)}:batchGet"
        return await self._transport.call_json("GET", url, ValueRanges, params=params)

    async def update_values(self, payload: UpdateValues) -> UpdatedValues:
        """Write cells of a spreadsheet. Existing values are overwritten."""
        url = f"{self._values_url(payload.spreadsheet_id)}/{quote_segment(payload.range)}"
        body = {"range": payload.range, "majorDimension": "ROWS", "values": payload.values}
        params = {"valueInputOption": payload.value_input}
        await check_approved_state()
        return await self._transport.call_json("PUT", url, UpdatedValues, params=params, body=body)

    async def append_values(self, payload: AppendValues) -> AppendedValues:
        """Append rows to a table in a spreadsheet. Two calls append them twice."""
        url = f"{self._values_url(payload.spreadsheet_id)}/{quote_segment(payload.range)}:append"
        body = {"range": payload.range, "majorDimension": "ROWS", "values": payload.values}
        params = {"valueInputOption": payload.value_input, "insertDataOption": "INSERT_ROWS"}
        await check_approved_state()
        what = f"The rows were added to {payload.range}"
        return await write_untraced(
            self._transport.call_json("POST", url, AppendedValues, params=params, body=body), what
        )

    def _values_url(self, spreadsheet_id: str) -> str:
        return f"{self._transport.hosts.sheets}/v4/spreadsheets/{quote_segment(spreadsheet_id)}/values"

"""Spreadsheets in memory."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from apps.casefile.tests.google.fake.discovery import Json
from apps.casefile.tests.google.fake.requests import GoogleResponseError, Operation, Request

Grid = dict[tuple[int, int], Any]
_A1 = re.compile(r"(?:'?(?P<sheet>[^'!]+)'?!)?(?P<a>[A-Z]+)(?P<b>[0-9]+)(?::(?P<c>[A-Z]+)(?P<d>[0-9]+))?")


class Area(NamedTuple):
    """Cells of a sheet, counted from 0; the last ones included."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        corner = f"{_column(self.left)}{self.top + 1}"
        other = f"{_column(self.right)}{self.bottom + 1}"
        return f"{self.sheet}!{corner}" if corner == other else f"{self.sheet}!{corner}:{other}"


class Spreadsheets:
    """Spreadsheets by id, each with its sheets by title."""

    def __init__(self) -> None:
        self.books: dict[str, dict[str, Grid]] = {}

    @property
    def operations(self) -> dict[str, Operation]:
        """What is done here, by the id of its method."""
        return {
            "sheets.spreadsheets.values.batchGet": self._read,
            "sheets.spreadsheets.values.update": self._update,
            "sheets.spreadsheets.values.append": self._append,
        }

    def put(self, book: str, sheet: str, rows: list[list[Any]]) -> None:
        """Put a sheet in."""
        grid = self.books.setdefault(book, {}).setdefault(sheet, {})
        grid |= {(row, column): cell for row, cells in enumerate(rows) for column, cell in enumerate(cells)}

    def _read(self, request: Request) -> Json:
        shown = request.params.get("valueRenderOption", "FORMATTED_VALUE")
        ranges = [self._values(request, text, shown) for text in request.params.get("ranges", [])]
        return {"spreadsheetId": request.params["spreadsheetId"], "valueRanges": ranges}

    def _values(self, request: Request, text: str, shown: str) -> Json:
        area, grid = self._area(request, text)
        rows = [
            _trimmed([grid.get((row, column), "") for column in range(area.left, area.right + 1)])
            for row in range(area.top, area.bottom + 1)
        ]
        while rows and not rows[-1]:
            rows.pop()
        if shown == "FORMATTED_VALUE":
            rows = [[_formatted(cell) for cell in row] for row in rows]
        answer: Json = {"range": str(area), "majorDimension": "ROWS"}
        return answer | ({"values": rows} if rows else {})

    def _update(self, request: Request) -> Json:
        if request.body.get("range", request.params["range"]) != request.params["range"]:
            raise GoogleResponseError(400, "Requested writing within another range", "badRequest")
        area, grid = self._area(request, request.params["range"])
        return self._write(request, grid, area.sheet, area.top, area.left)

    def _append(self, request: Request) -> Json:
        area, grid = self._area(request, request.params["range"])
        used = [row for row, column in grid if area.left <= column]
        below = max(used, default=area.top - 1) + 1
        right = max((column for _, column in grid), default=area.left)
        table = {"tableRange": str(Area(area.sheet, area.top, area.left, below - 1, right))} if used else {}
        updates = self._write(request, grid, area.sheet, below, area.left)
        return {"spreadsheetId": request.params["spreadsheetId"], **table, "updates": updates}

    def _write(self, request: Request, grid: Grid, sheet: str, top: int, left: int) -> Json:
        how = request.params.get("valueInputOption")
        if how not in ("RAW", "USER_ENTERED"):
            raise GoogleResponseError(400, "'valueInputOption' is required but not specified", "badRequest")
        rows: list[list[Any]] = request.body.get("values", [])
        count = 0
        for down, row in enumerate(rows):
            for across, cell in enumerate(row):
                if cell is not None:
                    grid[top + down, left + across] = _typed(cell) if how == "USER_ENTERED" else cell
                    count += 1
        wide = max((len(row) for row in rows), default=0)
        return {
            "spreadsheetId": request.params["spreadsheetId"],
            "updatedRange": str(Area(sheet, top, left, top + len(rows) - 1, left + wide - 1)),
            "updatedRows": len(rows),
            "updatedColumns": wide,
            "updatedCells": count,
        }

    def _area(self, request: Request, text: str) -> tuple[Area, Grid]:
        book = self.books.get(request.params["spreadsheetId"])
        if book is None:
            raise GoogleResponseError(404, "Requested entity was not found.", "notFound")
        found = _A1.fullmatch(text)
        sheet = (found["sheet"] if found else text) or next(iter(book))
        if sheet not in book:
            raise GoogleResponseError(400, f"Unable to parse range: {text}", "badRequest")
        grid = book[sheet]
        if found is None:
            bottom, right = max((row for row, _ in grid), default=0), max((column for _, column in grid), default=0)
            return Area(sheet, 0, 0, bottom, right), grid
        top, left = int(found["b"]) - 1, _number(found["a"])
        bottom = int(found["d"]) - 1 if found["d"] else top
        return Area(sheet, top, left, bottom, _number(found["c"]) if found["c"] else left), grid


def _trimmed(row: list[Any]) -> list[Any]:
    while row and row[-1] == "":
        row.pop()
    return row


def _formatted(cell: Any) -> str:
    return str(cell).upper() if isinstance(cell, bool) else str(cell)


def _typed(cell: Any) -> Any:
    """What a cell holds after a person typed it."""
    return int(cell) if isinstance(cell, str) and re.fullmatch(r"-?[0-9]+", cell) else cell


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _column(number: int) -> str:
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters

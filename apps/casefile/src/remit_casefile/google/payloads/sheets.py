"""Payloads and replies of the Sheets operations."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from remit_casefile.google.payloads.base import GoogleId, GoogleModel, Payload

Cell: TypeAlias = bool | int | float | str | None
"""The value of a cell. On writing, None leaves what is there."""

Range = Annotated[str, Field(min_length=1, max_length=300)]
"""Cells in A1 notation: ``Sheet1!A1:C10``."""

Rows = Annotated[list[list[Cell]], Field(min_length=1, max_length=10_000)]
"""Values, row by row."""

_RAW = "RAW stores values as they are; USER_ENTERED reads them as typed by a person, formulas and dates too"


class BatchGet(Payload):
    """The cells to read."""

    spreadsheet_id: GoogleId = Field(description="Id of the spreadsheet")
    ranges: list[Range] = Field(
        description="Cells to read: {sheet}!{first cell}:{last cell}", min_length=1, max_length=100
    )
    value_render: Literal["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"] = Field(
        default="UNFORMATTED_VALUE",
        description="UNFORMATTED_VALUE gives values as they are, which can be written back as they are; dates are days "
        "since 1899-12-30. FORMATTED_VALUE gives the texts that people see, FORMULA the formulas behind them",
    )


class UpdateValues(Payload):
    """The values to write, and their range."""

    spreadsheet_id: GoogleId = Field(description="Id of the spreadsheet")
    range: Range = Field(description="Cells to write: {sheet}!{first cell}:{last cell}")
    values: Rows = Field(description="The values, row by row; null leaves a cell as it is")
    value_input: Literal["RAW", "USER_ENTERED"] = Field(default="RAW", description=_RAW)


class AppendValues(Payload):
    """The rows to append, and the table."""

    spreadsheet_id: GoogleId = Field(description="Id of the spreadsheet")
    range: Range = Field(description="Cells in which the table is looked for: {sheet}!{first cell}:{last cell}")
    values: Rows = Field(description="The new rows")
    value_input: Literal["RAW", "USER_ENTERED"] = Field(default="RAW", description=_RAW)


class ValueRange(GoogleModel):
    """Cells and their values. Trailing empty rows and columns are omitted."""

    range: str = Field(description="The cells, in A1 notation")
    values: list[list[Cell]] = Field(default_factory=list[list[Cell]], description="Their values, row by row")


class ValueRanges(GoogleModel):
    """The values read, in the requested order."""

    spreadsheet_id: str = Field(description="Id of the spreadsheet")
    value_ranges: list[ValueRange] = Field(default_factory=list[ValueRange], description="The ranges")


class UpdatedValues(GoogleModel):
    """The updated range."""

    spreadsheet_id: str = Field(description="Id of the spreadsheet")
    updated_range: str = Field(default="", description="The cells that were written")
    updated_rows: int = Field(default=0, description="In how many rows")
    updated_columns: int = Field(default=0, description="In how many columns")
    updated_cells: int = Field(default=0, description="How many cells")


class AppendedValues(GoogleModel):
    """The appended range."""

    spreadsheet_id: str = Field(description="Id of the spreadsheet")
    table_range: str = Field(default="", description="The table that was found, before rows were added")
    updates: UpdatedValues = Field(description="What was written")

"""What the tables of all slices share. The tables themselves stand with their slices.

Documents keep their lines as they came, in one JSON value: they are written once and read whole.
"""

from typing import Any

from sqlalchemy import Column, DateTime, Function, MetaData, Numeric, Text, func, literal_column
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData()


def text_id(**options: Any) -> Column[str]:
    return Column("id", Text, primary_key=True, **options)


def words(name: str, *, nullable: bool = False) -> Column[str]:
    return Column(name, Text, nullable=nullable)


def moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


def amount(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Numeric(20, 2), nullable=nullable)


def document(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, JSONB(none_as_null=True), nullable=nullable)


def json_object(**fields: Any) -> Function[Any]:
    """SQL: an object of these fields. Their names stand in the statement: they are no parameters of each call."""
    parts: list[Any] = []
    for name, value in fields.items():
        parts += literal_column(f"'{name}'"), value
    return func.json_build_object(*parts)

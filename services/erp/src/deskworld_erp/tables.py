"""What the tables of all slices share. The tables themselves stand with their slices.

Documents keep their lines as they came, in one JSON value: they are written once and read whole.
"""

from typing import Any

from sqlalchemy import Column, DateTime, MetaData, Numeric, Text
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

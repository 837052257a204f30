"""What the desk's sessions write of an entity is what stands in it: the tables ask for no more."""

from sqlalchemy.orm import configure_mappers

from deskworld_desk.app import opened
from deskworld_desk.tables import Base


def test_no_table_of_the_desk_needs_more_of_a_flush_than_its_columns() -> None:
    assert opened.__module__ == "deskworld_desk.app"  # wires every slice, and so knows every table
    configure_mappers()
    mappers = list(Base.registry.mappers)
    assert len(mappers) > 10
    for mapper in mappers:
        told = mapper.class_.__name__
        assert not list(mapper.relationships), f"{told} has a relationship"
        assert mapper.version_id_col is None, f"{told} counts versions"
        assert not [one.key for one in mapper.column_attrs if one.deferred], f"{told} has a deferred column"
        for column in mapper.columns:
            given = [column.server_onupdate, column.onupdate, *([] if column.identity else [column.server_default])]
            assert not [one for one in given if one is not None], f"the server gives {told}.{column.key}"

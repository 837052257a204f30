from tests.support.desk import company
from tests.support.desk_inside import core
from tests.support.erp import erp, erp_postgres

__all__ = ["company", "core", "erp", "erp_postgres"]

from tests.support.desk import company
from tests.support.erp import erp, erp_postgres

__all__ = ["company", "erp", "erp_postgres"]

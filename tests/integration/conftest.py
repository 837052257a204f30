from tests.support.erp import erp, erp_postgres

__all__ = ["erp", "erp_postgres"]

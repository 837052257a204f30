"""A model by the name that pydantic-ai gives it: `<provider>:<model>`."""

from typing import Any

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import infer_provider_class


class ModelUnusable(Exception):
    """The model that was named cannot be asked: no key, no library of its provider."""


def is_provider(name: str) -> bool:
    """Whether pydantic-ai knows this provider, whether or not its library is there."""
    if name == "openai-chat":
        return True
    try:
        infer_provider_class(name)
    except ValueError:
        return False
    except ImportError:
        return True
    return True


def model_named(named: str) -> Model:
    """Key and address are taken from where the provider's own library takes them. Raises ModelUnusable."""
    try:
        model = infer_model(named)
    except (UserError, ValueError, TypeError, ImportError) as error:
        raise ModelUnusable(f"the model {named!r} cannot be asked: {error}") from error
    _never_again_by_itself(model)
    return model


def _never_again_by_itself(model: Model) -> None:
    """A library that asks again unseen would hide calls from the record of what was used."""
    client: Any = getattr(model, "client", None)
    if hasattr(client, "max_retries"):
        client.max_retries = 0

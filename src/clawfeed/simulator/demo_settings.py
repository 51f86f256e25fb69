"""The settings that point the product at the demo's world."""

from __future__ import annotations

from urllib.parse import urlsplit

from clawfeed.simulator.services.language_model import MODEL_NAME
from clawfeed.simulator.services.x import APP_TOKEN, USER_TOKEN
from clawfeed.simulator.services.x_oauth import CLIENT_ID


def settings(url: str) -> dict[str, str]:
    """The environment that points the product at the world served at *url*."""
    return {
        "EGRESS_ALLOW": urlsplit(url).netloc,
        "HACKERNEWS_BASE_URL": f"{url}/hn",
        "REDDIT_BASE_URL": f"{url}/reddit",
        "GITHUB_TRENDING_BASE_URL": url,
        "X_API_BASE_URL": f"{url}/x",
        "X_BEARER_TOKEN": APP_TOKEN,
        "X_USER_TOKEN": USER_TOKEN,
        "X_CLIENT_ID": CLIENT_ID,
        "X_AUTHORIZE_URL": f"{url}/x/i/oauth2/authorize",
        "X_BRIDGES": f"{url}/bridge/twitter/user/{{handle}}",
        "LLM_API_URL": f"{url}/llm/v1",
        "LLM_MODEL": MODEL_NAME,
    }

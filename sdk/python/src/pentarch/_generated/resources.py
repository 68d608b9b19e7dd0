# Generated from api/openapi.json by sdk/codegen. Do not edit.

from __future__ import annotations

import builtins
from typing import Any, AsyncIterator, Iterator, Literal, cast
from urllib.parse import quote

from .._core import NOT_GIVEN, Call, CallOptions, NotGiven, Raw, given
from .._http import AsyncChatStream, AsyncHttp, ChatStream, Http, Page
from .._record import shaped
from . import models as m


def _segment(value: str) -> str:
    return quote(value, safe="")


def _lines(text: str) -> Raw:
    data = text.encode()
    return Raw("application/x-ndjson", lambda: [data], len(data))


class Users:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_as_admin(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.User]:
        """Accounts of the tenant, for admins"""
        return self._http.page(m.User, Call("GET", "/api/v1/admin/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    def list_as_admin_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.User]:
        """Every item of `list_as_admin`, page by page."""
        return self._http.all(m.User, Call("GET", "/api/v1/admin/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.User]:
        """Accounts of the tenant"""
        return self._http.page(m.User, Call("GET", "/v2/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.User]:
        """Every item of `list`, page by page."""
        return self._http.all(m.User, Call("GET", "/v2/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    def create(
        self,
        *,
        email: str,
        name: str | NotGiven = NOT_GIVEN,
        password: str | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        permissions: builtins.list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        tier: Literal["free", "pro", "enterprise"] | None | NotGiven = NOT_GIVEN,
        tenant_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedUser:
        """Make an account; without a password the answer has an invitation link"""
        return self._http.model(m.CreatedUser, Call("POST", "/v2/users", json=given(email=email, name=name, password=password, roles=roles, permissions=permissions, type=type, tier=tier, tenant_id=tenant_id)), options)

    def get_me(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.User:
        """The account of the caller"""
        return self._http.model(m.User, Call("GET", "/v2/users/me"), options)

    def update_me(
        self,
        *,
        name: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.User:
        """Change the own name"""
        return self._http.model(m.User, Call("PATCH", "/v2/users/me", json=given(name=name)), options)

    def change_my_password(
        self,
        *,
        current_password: str,
        new_password: str,
        options: CallOptions | None = None,
    ) -> None:
        """Change the own password; other sessions end"""
        self._http.none(Call("POST", "/v2/users/me/password", json=given(current_password=current_password, new_password=new_password)), options)

    def list_my_sessions(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.ListMySessionsResult:
        """Open sign-ins of the caller"""
        return self._http.model(m.ListMySessionsResult, Call("GET", "/v2/users/me/sessions"), options)

    def end_my_session(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """End one sign-in; its tokens die at once"""
        self._http.none(Call("DELETE", f"/v2/users/me/sessions/{_segment(id)}"), options)

    def list_personal_tokens(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.ApiKey]:
        """Personal access tokens of the caller"""
        return self._http.page(m.ApiKey, Call("GET", "/v2/users/me/tokens", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_personal_tokens_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.ApiKey]:
        """Every item of `list_personal_tokens`, page by page."""
        return self._http.all(m.ApiKey, Call("GET", "/v2/users/me/tokens", query=given(page=page, limit=limit, cursor=cursor)), options)

    def create_personal_token(
        self,
        *,
        name: str,
        expires_at: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.PersonalToken:
        """Make a personal access token; the secret is shown once"""
        return self._http.model(m.PersonalToken, Call("POST", "/v2/users/me/tokens", json=given(name=name, expires_at=expires_at)), options)

    def delete_personal_token(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a personal access token; it stops working at once"""
        self._http.none(Call("DELETE", f"/v2/users/me/tokens/{_segment(id)}"), options)

    def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.User:
        """One account"""
        return self._http.model(m.User, Call("GET", f"/v2/users/{_segment(id)}"), options)

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        permissions: builtins.list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]] | NotGiven = NOT_GIVEN,
        tier: Literal["free", "pro", "enterprise"] | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "deactivated"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.User:
        """Change name, roles, tier or status; roles and deactivation take effect at once"""
        return self._http.model(m.User, Call("PATCH", f"/v2/users/{_segment(id)}", json=given(name=name, roles=roles, permissions=permissions, tier=tier, status=status)), options)

    def deactivate(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Deactivate an account; its tokens and keys die at once"""
        self._http.none(Call("DELETE", f"/v2/users/{_segment(id)}"), options)

    def erase_data(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.EraseUserDataResult:
        """Erase a person's content: one's own, or as an admin"""
        return self._http.model(m.EraseUserDataResult, Call("DELETE", f"/v2/users/{_segment(id)}/data"), options)

    def export_data(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ExportUserDataResult:
        """Everything that is stored of a person: one's own, or as an admin"""
        return self._http.model(m.ExportUserDataResult, Call("GET", f"/v2/users/{_segment(id)}/export"), options)

    def invite(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.InviteUserResult:
        """A new invitation link for an account that waits for one"""
        return self._http.model(m.InviteUserResult, Call("POST", f"/v2/users/{_segment(id)}/invitation"), options)

    def move(
        self,
        id: str,
        *,
        tenant_id: str,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MoveUserResult:
        """Move a person to another tenant under a new account; their records stay (platform administrators)"""
        return self._http.model(m.MoveUserResult, Call("POST", f"/v2/users/{_segment(id)}/move", json=given(tenant_id=tenant_id, roles=roles)), options)

    def reset_password(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.InviteUserResult:
        """A link with which the person sets a new password"""
        return self._http.model(m.InviteUserResult, Call("POST", f"/v2/users/{_segment(id)}/password-reset"), options)


class AsyncUsers:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_as_admin(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.User]:
        """Accounts of the tenant, for admins"""
        return await self._http.page(m.User, Call("GET", "/api/v1/admin/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    def list_as_admin_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.User]:
        """Every item of `list_as_admin`, page by page."""
        return self._http.all(m.User, Call("GET", "/api/v1/admin/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.User]:
        """Accounts of the tenant"""
        return await self._http.page(m.User, Call("GET", "/v2/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "invited", "deactivated"] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.User]:
        """Every item of `list`, page by page."""
        return self._http.all(m.User, Call("GET", "/v2/users", query=given(page=page, limit=limit, cursor=cursor, q=q, status=status, type=type)), options)

    async def create(
        self,
        *,
        email: str,
        name: str | NotGiven = NOT_GIVEN,
        password: str | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        permissions: builtins.list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]] | NotGiven = NOT_GIVEN,
        type: Literal["person", "service"] | NotGiven = NOT_GIVEN,
        tier: Literal["free", "pro", "enterprise"] | None | NotGiven = NOT_GIVEN,
        tenant_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedUser:
        """Make an account; without a password the answer has an invitation link"""
        return await self._http.model(m.CreatedUser, Call("POST", "/v2/users", json=given(email=email, name=name, password=password, roles=roles, permissions=permissions, type=type, tier=tier, tenant_id=tenant_id)), options)

    async def get_me(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.User:
        """The account of the caller"""
        return await self._http.model(m.User, Call("GET", "/v2/users/me"), options)

    async def update_me(
        self,
        *,
        name: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.User:
        """Change the own name"""
        return await self._http.model(m.User, Call("PATCH", "/v2/users/me", json=given(name=name)), options)

    async def change_my_password(
        self,
        *,
        current_password: str,
        new_password: str,
        options: CallOptions | None = None,
    ) -> None:
        """Change the own password; other sessions end"""
        await self._http.none(Call("POST", "/v2/users/me/password", json=given(current_password=current_password, new_password=new_password)), options)

    async def list_my_sessions(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.ListMySessionsResult:
        """Open sign-ins of the caller"""
        return await self._http.model(m.ListMySessionsResult, Call("GET", "/v2/users/me/sessions"), options)

    async def end_my_session(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """End one sign-in; its tokens die at once"""
        await self._http.none(Call("DELETE", f"/v2/users/me/sessions/{_segment(id)}"), options)

    async def list_personal_tokens(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.ApiKey]:
        """Personal access tokens of the caller"""
        return await self._http.page(m.ApiKey, Call("GET", "/v2/users/me/tokens", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_personal_tokens_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.ApiKey]:
        """Every item of `list_personal_tokens`, page by page."""
        return self._http.all(m.ApiKey, Call("GET", "/v2/users/me/tokens", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def create_personal_token(
        self,
        *,
        name: str,
        expires_at: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.PersonalToken:
        """Make a personal access token; the secret is shown once"""
        return await self._http.model(m.PersonalToken, Call("POST", "/v2/users/me/tokens", json=given(name=name, expires_at=expires_at)), options)

    async def delete_personal_token(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a personal access token; it stops working at once"""
        await self._http.none(Call("DELETE", f"/v2/users/me/tokens/{_segment(id)}"), options)

    async def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.User:
        """One account"""
        return await self._http.model(m.User, Call("GET", f"/v2/users/{_segment(id)}"), options)

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        permissions: builtins.list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]] | NotGiven = NOT_GIVEN,
        tier: Literal["free", "pro", "enterprise"] | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "deactivated"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.User:
        """Change name, roles, tier or status; roles and deactivation take effect at once"""
        return await self._http.model(m.User, Call("PATCH", f"/v2/users/{_segment(id)}", json=given(name=name, roles=roles, permissions=permissions, tier=tier, status=status)), options)

    async def deactivate(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Deactivate an account; its tokens and keys die at once"""
        await self._http.none(Call("DELETE", f"/v2/users/{_segment(id)}"), options)

    async def erase_data(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.EraseUserDataResult:
        """Erase a person's content: one's own, or as an admin"""
        return await self._http.model(m.EraseUserDataResult, Call("DELETE", f"/v2/users/{_segment(id)}/data"), options)

    async def export_data(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ExportUserDataResult:
        """Everything that is stored of a person: one's own, or as an admin"""
        return await self._http.model(m.ExportUserDataResult, Call("GET", f"/v2/users/{_segment(id)}/export"), options)

    async def invite(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.InviteUserResult:
        """A new invitation link for an account that waits for one"""
        return await self._http.model(m.InviteUserResult, Call("POST", f"/v2/users/{_segment(id)}/invitation"), options)

    async def move(
        self,
        id: str,
        *,
        tenant_id: str,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MoveUserResult:
        """Move a person to another tenant under a new account; their records stay (platform administrators)"""
        return await self._http.model(m.MoveUserResult, Call("POST", f"/v2/users/{_segment(id)}/move", json=given(tenant_id=tenant_id, roles=roles)), options)

    async def reset_password(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.InviteUserResult:
        """A link with which the person sets a new password"""
        return await self._http.model(m.InviteUserResult, Call("POST", f"/v2/users/{_segment(id)}/password-reset"), options)


class Agents:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> builtins.list[m.AgentStatus]:
        """Statuses of all eleven agents"""
        return self._http.models(m.AgentStatus, Call("GET", "/api/v1/agents", query=given(page=page, limit=limit)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.AgentStatus]:
        """Every item of `list`, page by page."""
        return self._http.all_bare(m.AgentStatus, Call("GET", "/api/v1/agents", query=given(page=page, limit=limit)), options)

    def list_suggestions(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["open", "accepted", "rejected"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.AgentSuggestion]:
        """Suggested changes of agents’ instructions, newest first"""
        return self._http.page(m.AgentSuggestion, Call("GET", "/api/v1/agents/suggestions", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    def list_suggestions_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["open", "accepted", "rejected"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.AgentSuggestion]:
        """Every item of `list_suggestions`, page by page."""
        return self._http.all(m.AgentSuggestion, Call("GET", "/api/v1/agents/suggestions", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    def accept_suggestion(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.AgentSuggestion:
        """Add the suggested text to the instructions of the agent"""
        return self._http.model(m.AgentSuggestion, Call("POST", f"/api/v1/agents/suggestions/{_segment(id)}/accept"), options)

    def reject_suggestion(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.AgentSuggestion:
        """Close a suggestion without any change"""
        return self._http.model(m.AgentSuggestion, Call("POST", f"/api/v1/agents/suggestions/{_segment(id)}/reject"), options)

    def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.AgentStatus:
        """Status of one agent"""
        return self._http.model(m.AgentStatus, Call("GET", f"/api/v1/agents/{_segment(id)}"), options)

    def update(
        self,
        id: str,
        *,
        enabled: bool | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        instructions: str | None | NotGiven = NOT_GIVEN,
        all_tools: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.AgentStatus:
        """Switch an agent on or off, set its model or instructions"""
        return self._http.model(m.AgentStatus, Call("PATCH", f"/api/v1/agents/{_segment(id)}", json=given(enabled=enabled, model=model, instructions=instructions, all_tools=all_tools)), options)

    def get_metrics(
        self,
        id: str,
        *,
        window: Literal["1h", "24h", "7d", "30d"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.AgentMetrics:
        """Performance of one agent, measured from its runs"""
        return self._http.model(m.AgentMetrics, Call("GET", f"/api/v1/agents/{_segment(id)}/metrics", query=given(window=window)), options)

    def invoke(
        self,
        id: str,
        *,
        message: str,
        conversation_id: str | NotGiven = NOT_GIVEN,
        parent_message_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        store: bool | NotGiven = NOT_GIVEN,
        history: builtins.list[m.ChatRequestHistory] | NotGiven = NOT_GIVEN,
        response_schema: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Ask one agent directly"""
        return self._http.model(m.ChatResponse, Call("POST", f"/v2/agents/{_segment(id)}/invoke", json=given(message=message, conversation_id=conversation_id, parent_message_id=parent_message_id, context=context, attachments=attachments, store=store, history=history, response_schema=response_schema), slow=True), options)


class AsyncAgents:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> builtins.list[m.AgentStatus]:
        """Statuses of all eleven agents"""
        return await self._http.models(m.AgentStatus, Call("GET", "/api/v1/agents", query=given(page=page, limit=limit)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.AgentStatus]:
        """Every item of `list`, page by page."""
        return self._http.all_bare(m.AgentStatus, Call("GET", "/api/v1/agents", query=given(page=page, limit=limit)), options)

    async def list_suggestions(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["open", "accepted", "rejected"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.AgentSuggestion]:
        """Suggested changes of agents’ instructions, newest first"""
        return await self._http.page(m.AgentSuggestion, Call("GET", "/api/v1/agents/suggestions", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    def list_suggestions_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["open", "accepted", "rejected"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.AgentSuggestion]:
        """Every item of `list_suggestions`, page by page."""
        return self._http.all(m.AgentSuggestion, Call("GET", "/api/v1/agents/suggestions", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    async def accept_suggestion(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.AgentSuggestion:
        """Add the suggested text to the instructions of the agent"""
        return await self._http.model(m.AgentSuggestion, Call("POST", f"/api/v1/agents/suggestions/{_segment(id)}/accept"), options)

    async def reject_suggestion(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.AgentSuggestion:
        """Close a suggestion without any change"""
        return await self._http.model(m.AgentSuggestion, Call("POST", f"/api/v1/agents/suggestions/{_segment(id)}/reject"), options)

    async def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.AgentStatus:
        """Status of one agent"""
        return await self._http.model(m.AgentStatus, Call("GET", f"/api/v1/agents/{_segment(id)}"), options)

    async def update(
        self,
        id: str,
        *,
        enabled: bool | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        instructions: str | None | NotGiven = NOT_GIVEN,
        all_tools: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.AgentStatus:
        """Switch an agent on or off, set its model or instructions"""
        return await self._http.model(m.AgentStatus, Call("PATCH", f"/api/v1/agents/{_segment(id)}", json=given(enabled=enabled, model=model, instructions=instructions, all_tools=all_tools)), options)

    async def get_metrics(
        self,
        id: str,
        *,
        window: Literal["1h", "24h", "7d", "30d"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.AgentMetrics:
        """Performance of one agent, measured from its runs"""
        return await self._http.model(m.AgentMetrics, Call("GET", f"/api/v1/agents/{_segment(id)}/metrics", query=given(window=window)), options)

    async def invoke(
        self,
        id: str,
        *,
        message: str,
        conversation_id: str | NotGiven = NOT_GIVEN,
        parent_message_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        store: bool | NotGiven = NOT_GIVEN,
        history: builtins.list[m.ChatRequestHistory] | NotGiven = NOT_GIVEN,
        response_schema: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Ask one agent directly"""
        return await self._http.model(m.ChatResponse, Call("POST", f"/v2/agents/{_segment(id)}/invoke", json=given(message=message, conversation_id=conversation_id, parent_message_id=parent_message_id, context=context, attachments=attachments, store=store, history=history, response_schema=response_schema), slow=True), options)


class Chat:
    def __init__(self, http: Http) -> None:
        self._http = http

    def send(
        self,
        *,
        message: str,
        conversation_id: str | NotGiven = NOT_GIVEN,
        parent_message_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        store: bool | NotGiven = NOT_GIVEN,
        history: builtins.list[m.ChatRequestHistory] | NotGiven = NOT_GIVEN,
        response_schema: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Ask the agents; the whole answer in one piece"""
        return self._http.model(m.ChatResponse, Call("POST", "/api/v1/chat", json=given(message=message, conversation_id=conversation_id, parent_message_id=parent_message_id, context=context, attachments=attachments, store=store, history=history, response_schema=response_schema), slow=True), options)

    def get_run(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Run:
        """State of a run"""
        return self._http.model(m.Run, Call("GET", f"/api/v1/chat/runs/{_segment(id)}"), options)

    def cancel_run(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Run:
        """Stop a run; the partial answer is kept"""
        return self._http.model(m.Run, Call("POST", f"/api/v1/chat/runs/{_segment(id)}/cancel"), options)

    def follow_run(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> ChatStream:
        """Events of a run from the start, or after Last-Event-ID"""
        return self._http.stream(Call("GET", f"/api/v1/chat/runs/{_segment(id)}/stream"), options)

    def stream(
        self,
        *,
        message: str,
        conversation_id: str | NotGiven = NOT_GIVEN,
        parent_message_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        store: bool | NotGiven = NOT_GIVEN,
        history: builtins.list[m.ChatRequestHistory] | NotGiven = NOT_GIVEN,
        response_schema: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> ChatStream:
        """Ask the agents; the answer as Server-Sent Events"""
        return self._http.stream(Call("POST", "/api/v1/chat/stream", json=given(message=message, conversation_id=conversation_id, parent_message_id=parent_message_id, context=context, attachments=attachments, store=store, history=history, response_schema=response_schema)), options)

    def edit(
        self,
        id: str,
        message_id: str,
        *,
        message: str,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Ask a question in other words"""
        return self._http.model(m.ChatResponse, Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/edit", json=given(message=message, attachments=attachments, model=model, agent_id=agent_id), slow=True), options)

    def edit_stream(
        self,
        id: str,
        message_id: str,
        *,
        message: str,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> ChatStream:
        """Ask a question in other words; the answer as events"""
        return self._http.stream(Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/edit", json=given(message=message, attachments=attachments, model=model, agent_id=agent_id), slow=True), options)

    def regenerate(
        self,
        id: str,
        message_id: str,
        *,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Answer a question once more"""
        return self._http.model(m.ChatResponse, Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/regenerate", json=given(model=model, agent_id=agent_id), slow=True), options)

    def regenerate_stream(
        self,
        id: str,
        message_id: str,
        *,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> ChatStream:
        """Answer a question once more; the answer as events"""
        return self._http.stream(Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/regenerate", json=given(model=model, agent_id=agent_id), slow=True), options)


class AsyncChat:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def send(
        self,
        *,
        message: str,
        conversation_id: str | NotGiven = NOT_GIVEN,
        parent_message_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        store: bool | NotGiven = NOT_GIVEN,
        history: builtins.list[m.ChatRequestHistory] | NotGiven = NOT_GIVEN,
        response_schema: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Ask the agents; the whole answer in one piece"""
        return await self._http.model(m.ChatResponse, Call("POST", "/api/v1/chat", json=given(message=message, conversation_id=conversation_id, parent_message_id=parent_message_id, context=context, attachments=attachments, store=store, history=history, response_schema=response_schema), slow=True), options)

    async def get_run(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Run:
        """State of a run"""
        return await self._http.model(m.Run, Call("GET", f"/api/v1/chat/runs/{_segment(id)}"), options)

    async def cancel_run(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Run:
        """Stop a run; the partial answer is kept"""
        return await self._http.model(m.Run, Call("POST", f"/api/v1/chat/runs/{_segment(id)}/cancel"), options)

    def follow_run(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> AsyncChatStream:
        """Events of a run from the start, or after Last-Event-ID"""
        return self._http.stream(Call("GET", f"/api/v1/chat/runs/{_segment(id)}/stream"), options)

    def stream(
        self,
        *,
        message: str,
        conversation_id: str | NotGiven = NOT_GIVEN,
        parent_message_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        store: bool | NotGiven = NOT_GIVEN,
        history: builtins.list[m.ChatRequestHistory] | NotGiven = NOT_GIVEN,
        response_schema: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncChatStream:
        """Ask the agents; the answer as Server-Sent Events"""
        return self._http.stream(Call("POST", "/api/v1/chat/stream", json=given(message=message, conversation_id=conversation_id, parent_message_id=parent_message_id, context=context, attachments=attachments, store=store, history=history, response_schema=response_schema)), options)

    async def edit(
        self,
        id: str,
        message_id: str,
        *,
        message: str,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Ask a question in other words"""
        return await self._http.model(m.ChatResponse, Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/edit", json=given(message=message, attachments=attachments, model=model, agent_id=agent_id), slow=True), options)

    def edit_stream(
        self,
        id: str,
        message_id: str,
        *,
        message: str,
        attachments: builtins.list[m.ChatRequestAttachment] | NotGiven = NOT_GIVEN,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncChatStream:
        """Ask a question in other words; the answer as events"""
        return self._http.stream(Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/edit", json=given(message=message, attachments=attachments, model=model, agent_id=agent_id), slow=True), options)

    async def regenerate(
        self,
        id: str,
        message_id: str,
        *,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ChatResponse:
        """Answer a question once more"""
        return await self._http.model(m.ChatResponse, Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/regenerate", json=given(model=model, agent_id=agent_id), slow=True), options)

    def regenerate_stream(
        self,
        id: str,
        message_id: str,
        *,
        model: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncChatStream:
        """Answer a question once more; the answer as events"""
        return self._http.stream(Call("POST", f"/api/v1/conversations/{_segment(id)}/messages/{_segment(message_id)}/regenerate", json=given(model=model, agent_id=agent_id), slow=True), options)


class Conversations:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "archived", "unlisted"] | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Conversation]:
        """The caller’s conversations, newest first"""
        return self._http.page(m.Conversation, Call("GET", "/api/v1/conversations", query=given(page=page, limit=limit, cursor=cursor, status=status, q=q, pinned=pinned, folder=folder, scope=scope)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "archived", "unlisted"] | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Conversation]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Conversation, Call("GET", "/api/v1/conversations", query=given(page=page, limit=limit, cursor=cursor, status=status, q=q, pinned=pinned, folder=folder, scope=scope)), options)

    def create(
        self,
        *,
        title: str | None | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Start a conversation"""
        return self._http.model(m.CreatedConversation, Call("POST", "/api/v1/conversations", json=given(title=title, metadata=metadata)), options)

    def delete(
        self,
        *,
        ids: builtins.list[str],
        options: CallOptions | None = None,
    ) -> m.DeleteConversationsResult:
        """Delete conversations for good, archived or not"""
        return self._http.model(m.DeleteConversationsResult, Call("POST", "/api/v1/conversations/delete", json=given(ids=ids)), options)

    def list_folders(
        self,
        *,
        status: Literal["active", "archived"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ListFoldersResult:
        """Folders of the caller’s conversations, with how many each holds"""
        return self._http.model(m.ListFoldersResult, Call("GET", "/api/v1/conversations/folders", query=given(status=status)), options)

    def rename_folder(
        self,
        *,
        name: str,
        to: str | None,
        options: CallOptions | None = None,
    ) -> m.RenameFolderResult:
        """Rename a folder of the caller’s, or take it away"""
        return self._http.model(m.RenameFolderResult, Call("POST", "/api/v1/conversations/folders/rename", json=given(name=name, to=to)), options)

    def import_(
        self,
        *,
        conversations: builtins.list[dict[str, Any]],
        options: CallOptions | None = None,
    ) -> m.ImportConversationsResult:
        """Bring in conversations of ChatGPT, Open WebUI, LibreChat or another Pentarch"""
        return self._http.model(m.ImportConversationsResult, Call("POST", "/api/v1/conversations/import", json=given(conversations=conversations), slow=True), options)

    def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ConversationDetail:
        """A conversation with its newest 200 messages"""
        return self._http.model(m.ConversationDetail, Call("GET", f"/api/v1/conversations/{_segment(id)}"), options)

    def update(
        self,
        id: str,
        *,
        title: str | None | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        folder: str | None | NotGiven = NOT_GIVEN,
        active_message_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Rename, pin or file a conversation, replace its metadata or pick its branch"""
        return self._http.model(m.CreatedConversation, Call("PATCH", f"/api/v1/conversations/{_segment(id)}", json=given(title=title, metadata=metadata, pinned=pinned, folder=folder, active_message_id=active_message_id)), options)

    def archive(
        self,
        id: str,
        *,
        permanent: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> None:
        """Archive a conversation, or delete it for good"""
        self._http.none(Call("DELETE", f"/api/v1/conversations/{_segment(id)}", query=given(permanent=permanent)), options)

    def export(
        self,
        id: str,
        *,
        format: Literal["json", "markdown"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> str:
        """A conversation as a file"""
        return self._http.text(Call("GET", f"/api/v1/conversations/{_segment(id)}/export", query=given(format=format)), options)

    def fork(
        self,
        id: str,
        *,
        message_id: str,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Start a conversation with the messages of another one, up to one of them"""
        return self._http.model(m.CreatedConversation, Call("POST", f"/api/v1/conversations/{_segment(id)}/fork", json=given(message_id=message_id)), options)

    def list_messages(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        order: Literal["asc", "desc"] | NotGiven = NOT_GIVEN,
        branches: Literal["active", "all"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Message]:
        """The messages of a conversation, oldest first: its active branch, or all branches"""
        return self._http.page(m.Message, Call("GET", f"/api/v1/conversations/{_segment(id)}/messages", query=given(page=page, limit=limit, cursor=cursor, order=order, branches=branches)), options)

    def list_messages_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        order: Literal["asc", "desc"] | NotGiven = NOT_GIVEN,
        branches: Literal["active", "all"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Message]:
        """Every item of `list_messages`, page by page."""
        return self._http.all(m.Message, Call("GET", f"/api/v1/conversations/{_segment(id)}/messages", query=given(page=page, limit=limit, cursor=cursor, order=order, branches=branches)), options)

    def get_picture(
        self,
        id: str,
        picture_id: str,
        *,
        options: CallOptions | None = None,
    ) -> bytes:
        """A picture of a message"""
        return self._http.content(Call("GET", f"/api/v1/conversations/{_segment(id)}/pictures/{_segment(picture_id)}"), options)

    def restore(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Take a conversation out of the archive"""
        return self._http.model(m.CreatedConversation, Call("POST", f"/api/v1/conversations/{_segment(id)}/restore"), options)

    def list_shares(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Share]:
        """How a conversation is shared, newest first"""
        return self._http.page(m.Share, Call("GET", f"/api/v1/conversations/{_segment(id)}/shares", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_shares_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Share]:
        """Every item of `list_shares`, page by page."""
        return self._http.all(m.Share, Call("GET", f"/api/v1/conversations/{_segment(id)}/shares", query=given(page=page, limit=limit, cursor=cursor)), options)

    def share(
        self,
        id: str,
        *,
        audience: Literal["tenant", "link"],
        expires_at: str | NotGiven = NOT_GIVEN,
        up_to_message_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ShareConversationResult:
        """Let others read a conversation as it stands now"""
        return self._http.model(m.ShareConversationResult, Call("POST", f"/api/v1/conversations/{_segment(id)}/shares", json=given(audience=audience, expires_at=expires_at, up_to_message_id=up_to_message_id)), options)

    def revoke_share(
        self,
        id: str,
        share_id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """End a share: it is read no more, at once"""
        self._http.none(Call("DELETE", f"/api/v1/conversations/{_segment(id)}/shares/{_segment(share_id)}"), options)

    def rate_message(
        self,
        id: str,
        *,
        rating: Literal["up", "down"],
        comment: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.RateMessageResult:
        """Rate an answer"""
        return self._http.model(m.RateMessageResult, Call("POST", f"/api/v1/messages/{_segment(id)}/feedback", json=given(rating=rating, comment=comment)), options)

    def open_share(
        self,
        token: str,
        *,
        options: CallOptions | None = None,
    ) -> m.OpenShareResult:
        """A conversation that somebody of the tenant has shared"""
        return self._http.model(m.OpenShareResult, Call("GET", f"/api/v1/shares/{_segment(token)}"), options)

    def open_public_share(
        self,
        token: str,
        *,
        options: CallOptions | None = None,
    ) -> m.OpenShareResult:
        """A conversation that somebody has shared by a link, without a sign-in"""
        return self._http.model(m.OpenShareResult, Call("GET", f"/api/v1/shares/{_segment(token)}/public"), options)


class AsyncConversations:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "archived", "unlisted"] | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Conversation]:
        """The caller’s conversations, newest first"""
        return await self._http.page(m.Conversation, Call("GET", "/api/v1/conversations", query=given(page=page, limit=limit, cursor=cursor, status=status, q=q, pinned=pinned, folder=folder, scope=scope)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "archived", "unlisted"] | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Conversation]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Conversation, Call("GET", "/api/v1/conversations", query=given(page=page, limit=limit, cursor=cursor, status=status, q=q, pinned=pinned, folder=folder, scope=scope)), options)

    async def create(
        self,
        *,
        title: str | None | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Start a conversation"""
        return await self._http.model(m.CreatedConversation, Call("POST", "/api/v1/conversations", json=given(title=title, metadata=metadata)), options)

    async def delete(
        self,
        *,
        ids: builtins.list[str],
        options: CallOptions | None = None,
    ) -> m.DeleteConversationsResult:
        """Delete conversations for good, archived or not"""
        return await self._http.model(m.DeleteConversationsResult, Call("POST", "/api/v1/conversations/delete", json=given(ids=ids)), options)

    async def list_folders(
        self,
        *,
        status: Literal["active", "archived"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ListFoldersResult:
        """Folders of the caller’s conversations, with how many each holds"""
        return await self._http.model(m.ListFoldersResult, Call("GET", "/api/v1/conversations/folders", query=given(status=status)), options)

    async def rename_folder(
        self,
        *,
        name: str,
        to: str | None,
        options: CallOptions | None = None,
    ) -> m.RenameFolderResult:
        """Rename a folder of the caller’s, or take it away"""
        return await self._http.model(m.RenameFolderResult, Call("POST", "/api/v1/conversations/folders/rename", json=given(name=name, to=to)), options)

    async def import_(
        self,
        *,
        conversations: builtins.list[dict[str, Any]],
        options: CallOptions | None = None,
    ) -> m.ImportConversationsResult:
        """Bring in conversations of ChatGPT, Open WebUI, LibreChat or another Pentarch"""
        return await self._http.model(m.ImportConversationsResult, Call("POST", "/api/v1/conversations/import", json=given(conversations=conversations), slow=True), options)

    async def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ConversationDetail:
        """A conversation with its newest 200 messages"""
        return await self._http.model(m.ConversationDetail, Call("GET", f"/api/v1/conversations/{_segment(id)}"), options)

    async def update(
        self,
        id: str,
        *,
        title: str | None | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        folder: str | None | NotGiven = NOT_GIVEN,
        active_message_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Rename, pin or file a conversation, replace its metadata or pick its branch"""
        return await self._http.model(m.CreatedConversation, Call("PATCH", f"/api/v1/conversations/{_segment(id)}", json=given(title=title, metadata=metadata, pinned=pinned, folder=folder, active_message_id=active_message_id)), options)

    async def archive(
        self,
        id: str,
        *,
        permanent: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> None:
        """Archive a conversation, or delete it for good"""
        await self._http.none(Call("DELETE", f"/api/v1/conversations/{_segment(id)}", query=given(permanent=permanent)), options)

    async def export(
        self,
        id: str,
        *,
        format: Literal["json", "markdown"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> str:
        """A conversation as a file"""
        return await self._http.text(Call("GET", f"/api/v1/conversations/{_segment(id)}/export", query=given(format=format)), options)

    async def fork(
        self,
        id: str,
        *,
        message_id: str,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Start a conversation with the messages of another one, up to one of them"""
        return await self._http.model(m.CreatedConversation, Call("POST", f"/api/v1/conversations/{_segment(id)}/fork", json=given(message_id=message_id)), options)

    async def list_messages(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        order: Literal["asc", "desc"] | NotGiven = NOT_GIVEN,
        branches: Literal["active", "all"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Message]:
        """The messages of a conversation, oldest first: its active branch, or all branches"""
        return await self._http.page(m.Message, Call("GET", f"/api/v1/conversations/{_segment(id)}/messages", query=given(page=page, limit=limit, cursor=cursor, order=order, branches=branches)), options)

    def list_messages_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        order: Literal["asc", "desc"] | NotGiven = NOT_GIVEN,
        branches: Literal["active", "all"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Message]:
        """Every item of `list_messages`, page by page."""
        return self._http.all(m.Message, Call("GET", f"/api/v1/conversations/{_segment(id)}/messages", query=given(page=page, limit=limit, cursor=cursor, order=order, branches=branches)), options)

    async def get_picture(
        self,
        id: str,
        picture_id: str,
        *,
        options: CallOptions | None = None,
    ) -> bytes:
        """A picture of a message"""
        return await self._http.content(Call("GET", f"/api/v1/conversations/{_segment(id)}/pictures/{_segment(picture_id)}"), options)

    async def restore(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.CreatedConversation:
        """Take a conversation out of the archive"""
        return await self._http.model(m.CreatedConversation, Call("POST", f"/api/v1/conversations/{_segment(id)}/restore"), options)

    async def list_shares(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Share]:
        """How a conversation is shared, newest first"""
        return await self._http.page(m.Share, Call("GET", f"/api/v1/conversations/{_segment(id)}/shares", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_shares_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Share]:
        """Every item of `list_shares`, page by page."""
        return self._http.all(m.Share, Call("GET", f"/api/v1/conversations/{_segment(id)}/shares", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def share(
        self,
        id: str,
        *,
        audience: Literal["tenant", "link"],
        expires_at: str | NotGiven = NOT_GIVEN,
        up_to_message_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ShareConversationResult:
        """Let others read a conversation as it stands now"""
        return await self._http.model(m.ShareConversationResult, Call("POST", f"/api/v1/conversations/{_segment(id)}/shares", json=given(audience=audience, expires_at=expires_at, up_to_message_id=up_to_message_id)), options)

    async def revoke_share(
        self,
        id: str,
        share_id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """End a share: it is read no more, at once"""
        await self._http.none(Call("DELETE", f"/api/v1/conversations/{_segment(id)}/shares/{_segment(share_id)}"), options)

    async def rate_message(
        self,
        id: str,
        *,
        rating: Literal["up", "down"],
        comment: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.RateMessageResult:
        """Rate an answer"""
        return await self._http.model(m.RateMessageResult, Call("POST", f"/api/v1/messages/{_segment(id)}/feedback", json=given(rating=rating, comment=comment)), options)

    async def open_share(
        self,
        token: str,
        *,
        options: CallOptions | None = None,
    ) -> m.OpenShareResult:
        """A conversation that somebody of the tenant has shared"""
        return await self._http.model(m.OpenShareResult, Call("GET", f"/api/v1/shares/{_segment(token)}"), options)

    async def open_public_share(
        self,
        token: str,
        *,
        options: CallOptions | None = None,
    ) -> m.OpenShareResult:
        """A conversation that somebody has shared by a link, without a sign-in"""
        return await self._http.model(m.OpenShareResult, Call("GET", f"/api/v1/shares/{_segment(token)}/public"), options)


class Costs:
    def __init__(self, http: Http) -> None:
        self._http = http

    def get_limits(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.CostLimits:
        """Limits with what is used and reserved of them"""
        return self._http.model(m.CostLimits, Call("GET", "/api/v1/costs/limits"), options)

    def set_limits(
        self,
        *,
        limits: builtins.list[m.SetCostLimitsRequestLimit],
        options: CallOptions | None = None,
    ) -> m.CostLimits:
        """Set or remove limits; those that are not named stay"""
        return self._http.model(m.CostLimits, Call("PUT", "/api/v1/costs/limits", json=given(limits=limits)), options)

    def get_usage(
        self,
        *,
        period: Literal["day", "week", "month", "custom"] | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        users_page: int | NotGiven = NOT_GIVEN,
        users_limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CostUsage:
        """Spending of a period, divided by agent, model, tool, day and user"""
        return self._http.model(m.CostUsage, Call("GET", "/api/v1/costs/usage", query=given(period=period, from_=from_, to=to, scope=scope, users_page=users_page, users_limit=users_limit)), options)

    def export_usage(
        self,
        *,
        period: Literal["day", "week", "month", "custom"] | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        users_page: int | NotGiven = NOT_GIVEN,
        users_limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> str:
        """The metered calls of a period as CSV"""
        return self._http.text(Call("GET", "/api/v1/costs/usage/export", query=given(period=period, from_=from_, to=to, scope=scope, users_page=users_page, users_limit=users_limit)), options)


class AsyncCosts:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def get_limits(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.CostLimits:
        """Limits with what is used and reserved of them"""
        return await self._http.model(m.CostLimits, Call("GET", "/api/v1/costs/limits"), options)

    async def set_limits(
        self,
        *,
        limits: builtins.list[m.SetCostLimitsRequestLimit],
        options: CallOptions | None = None,
    ) -> m.CostLimits:
        """Set or remove limits; those that are not named stay"""
        return await self._http.model(m.CostLimits, Call("PUT", "/api/v1/costs/limits", json=given(limits=limits)), options)

    async def get_usage(
        self,
        *,
        period: Literal["day", "week", "month", "custom"] | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        users_page: int | NotGiven = NOT_GIVEN,
        users_limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CostUsage:
        """Spending of a period, divided by agent, model, tool, day and user"""
        return await self._http.model(m.CostUsage, Call("GET", "/api/v1/costs/usage", query=given(period=period, from_=from_, to=to, scope=scope, users_page=users_page, users_limit=users_limit)), options)

    async def export_usage(
        self,
        *,
        period: Literal["day", "week", "month", "custom"] | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        scope: Literal["me", "tenant"] | NotGiven = NOT_GIVEN,
        users_page: int | NotGiven = NOT_GIVEN,
        users_limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> str:
        """The metered calls of a period as CSV"""
        return await self._http.text(Call("GET", "/api/v1/costs/usage/export", query=given(period=period, from_=from_, to=to, scope=scope, users_page=users_page, users_limit=users_limit)), options)


class Governance:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_proposals(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["voting", "awaiting_human", "approved", "rejected", "vetoed", "expired", "cancelled"] | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        conversation_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> builtins.list[m.Proposal]:
        """Proposals, newest first"""
        return self._http.models(m.Proposal, Call("GET", "/api/v1/governance/proposals", query=given(page=page, limit=limit, cursor=cursor, status=status, run_id=run_id, conversation_id=conversation_id)), options)

    def list_proposals_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["voting", "awaiting_human", "approved", "rejected", "vetoed", "expired", "cancelled"] | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        conversation_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Proposal]:
        """Every item of `list_proposals`, page by page."""
        return self._http.all_bare(m.Proposal, Call("GET", "/api/v1/governance/proposals", query=given(page=page, limit=limit, cursor=cursor, status=status, run_id=run_id, conversation_id=conversation_id)), options)

    def create_proposal(
        self,
        *,
        action: str,
        estimated_cost: float,
        description: str | NotGiven = NOT_GIVEN,
        risk: Literal["low", "medium", "high", "critical"] | NotGiven = NOT_GIVEN,
        flags: builtins.list[Literal["security", "legal", "irreversible", "personal_data"]] | NotGiven = NOT_GIVEN,
        tool: m.CreateProposalRequestTool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Propose an action by hand"""
        return self._http.model(m.Proposal, Call("POST", "/api/v1/governance/proposals", json=given(action=action, description=description, estimated_cost=estimated_cost, risk=risk, flags=flags, tool=tool)), options)

    def get_proposal(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """One proposal with its votes and its execution"""
        return self._http.model(m.Proposal, Call("GET", f"/api/v1/governance/proposals/{_segment(id)}"), options)

    def cancel_proposal(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Withdraw an open proposal"""
        return self._http.model(m.Proposal, Call("POST", f"/api/v1/governance/proposals/{_segment(id)}/cancel"), options)

    def confirm_proposal(
        self,
        id: str,
        *,
        approve: bool,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Answer a question that a run with untrusted content asks you: may this call be made"""
        return self._http.model(m.Proposal, Call("POST", f"/api/v1/governance/proposals/{_segment(id)}/confirm", json=given(approve=approve)), options)

    def vote_on_proposal(
        self,
        id: str,
        *,
        vote: Literal["approve", "reject", "abstain"],
        reason: str | NotGiven = NOT_GIVEN,
        seat: Literal["athena", "hermes", "aegis", "hephaestus", "prometheus"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Vote: take a seat while the five vote, or decide what awaits a person"""
        return self._http.model(m.Proposal, Call("POST", f"/api/v1/governance/proposals/{_segment(id)}/vote", json=given(vote=vote, reason=reason, seat=seat)), options)


class AsyncGovernance:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_proposals(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["voting", "awaiting_human", "approved", "rejected", "vetoed", "expired", "cancelled"] | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        conversation_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> builtins.list[m.Proposal]:
        """Proposals, newest first"""
        return await self._http.models(m.Proposal, Call("GET", "/api/v1/governance/proposals", query=given(page=page, limit=limit, cursor=cursor, status=status, run_id=run_id, conversation_id=conversation_id)), options)

    def list_proposals_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["voting", "awaiting_human", "approved", "rejected", "vetoed", "expired", "cancelled"] | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        conversation_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Proposal]:
        """Every item of `list_proposals`, page by page."""
        return self._http.all_bare(m.Proposal, Call("GET", "/api/v1/governance/proposals", query=given(page=page, limit=limit, cursor=cursor, status=status, run_id=run_id, conversation_id=conversation_id)), options)

    async def create_proposal(
        self,
        *,
        action: str,
        estimated_cost: float,
        description: str | NotGiven = NOT_GIVEN,
        risk: Literal["low", "medium", "high", "critical"] | NotGiven = NOT_GIVEN,
        flags: builtins.list[Literal["security", "legal", "irreversible", "personal_data"]] | NotGiven = NOT_GIVEN,
        tool: m.CreateProposalRequestTool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Propose an action by hand"""
        return await self._http.model(m.Proposal, Call("POST", "/api/v1/governance/proposals", json=given(action=action, description=description, estimated_cost=estimated_cost, risk=risk, flags=flags, tool=tool)), options)

    async def get_proposal(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """One proposal with its votes and its execution"""
        return await self._http.model(m.Proposal, Call("GET", f"/api/v1/governance/proposals/{_segment(id)}"), options)

    async def cancel_proposal(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Withdraw an open proposal"""
        return await self._http.model(m.Proposal, Call("POST", f"/api/v1/governance/proposals/{_segment(id)}/cancel"), options)

    async def confirm_proposal(
        self,
        id: str,
        *,
        approve: bool,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Answer a question that a run with untrusted content asks you: may this call be made"""
        return await self._http.model(m.Proposal, Call("POST", f"/api/v1/governance/proposals/{_segment(id)}/confirm", json=given(approve=approve)), options)

    async def vote_on_proposal(
        self,
        id: str,
        *,
        vote: Literal["approve", "reject", "abstain"],
        reason: str | NotGiven = NOT_GIVEN,
        seat: Literal["athena", "hermes", "aegis", "hephaestus", "prometheus"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Proposal:
        """Vote: take a seat while the five vote, or decide what awaits a person"""
        return await self._http.model(m.Proposal, Call("POST", f"/api/v1/governance/proposals/{_segment(id)}/vote", json=given(vote=vote, reason=reason, seat=seat)), options)


class Knowledge:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_documents(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        tags: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["indexed", "processing", "failed"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Document]:
        """Indexed documents, newest first"""
        return self._http.page(m.Document, Call("GET", "/api/v1/knowledge/documents", query=given(page=page, limit=limit, cursor=cursor, tags=tags, content_type=content_type, q=q, status=status)), options)

    def list_documents_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        tags: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["indexed", "processing", "failed"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Document]:
        """Every item of `list_documents`, page by page."""
        return self._http.all(m.Document, Call("GET", "/api/v1/knowledge/documents", query=given(page=page, limit=limit, cursor=cursor, tags=tags, content_type=content_type, q=q, status=status)), options)

    def create_document(
        self,
        *,
        title: str | NotGiven = NOT_GIVEN,
        content: str | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        external_id: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant", "role"] | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        trusted: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Document:
        """Upload and index a document"""
        return self._http.model(m.Document, Call("POST", "/api/v1/knowledge/documents", json=given(title=title, content=content, url=url, external_id=external_id, content_type=content_type, metadata=metadata, visibility=visibility, roles=roles, trusted=trusted), slow=True), options)

    def get_document(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Document:
        """One document"""
        return self._http.model(m.Document, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}"), options)

    def update_document(
        self,
        id: str,
        *,
        title: str | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant", "role"] | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        trusted: bool | NotGiven = NOT_GIVEN,
        seen_version: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Document:
        """Change title, metadata or visibility, or vouch for the document"""
        return self._http.model(m.Document, Call("PATCH", f"/api/v1/knowledge/documents/{_segment(id)}", json=given(title=title, metadata=metadata, visibility=visibility, roles=roles, trusted=trusted, seen_version=seen_version)), options)

    def delete_document(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a document (text, vectors and bytes), or take back an upload that is still read"""
        self._http.none(Call("DELETE", f"/api/v1/knowledge/documents/{_segment(id)}"), options)

    def list_document_chunks(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.DocumentChunk]:
        """The passages of a document, in reading order"""
        return self._http.page(m.DocumentChunk, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/chunks", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_document_chunks_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.DocumentChunk]:
        """Every item of `list_document_chunks`, page by page."""
        return self._http.all(m.DocumentChunk, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/chunks", query=given(page=page, limit=limit, cursor=cursor)), options)

    def get_document_content(
        self,
        id: str,
        *,
        format: Literal["original", "text"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> bytes:
        """The bytes as uploaded, or the text read from them"""
        return self._http.content(Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/content", query=given(format=format)), options)

    def retry_document(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Document:
        """Read a file again whose upload has failed"""
        return self._http.model(m.Document, Call("POST", f"/api/v1/knowledge/documents/{_segment(id)}/retry"), options)

    def list_document_versions(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ListDocumentVersionsResult:
        """What the versions of a document were, newest first"""
        return self._http.model(m.ListDocumentVersionsResult, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/versions"), options)

    def search(
        self,
        *,
        query: str,
        limit: int | NotGiven = NOT_GIVEN,
        filters: m.SearchRequestFilters | NotGiven = NOT_GIVEN,
        include_memories: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.SearchResponse:
        """Hybrid search over documents and, on request, memories"""
        return self._http.model(m.SearchResponse, Call("POST", "/api/v1/knowledge/search", json=given(query=query, limit=limit, filters=filters, include_memories=include_memories)), options)

    def list_document_tags(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.ListDocumentTagsResult:
        """The tags of documents, the collections of this platform, with how many documents each has"""
        return self._http.model(m.ListDocumentTagsResult, Call("GET", "/api/v1/knowledge/tags"), options)


class AsyncKnowledge:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_documents(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        tags: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["indexed", "processing", "failed"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Document]:
        """Indexed documents, newest first"""
        return await self._http.page(m.Document, Call("GET", "/api/v1/knowledge/documents", query=given(page=page, limit=limit, cursor=cursor, tags=tags, content_type=content_type, q=q, status=status)), options)

    def list_documents_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        tags: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        status: Literal["indexed", "processing", "failed"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Document]:
        """Every item of `list_documents`, page by page."""
        return self._http.all(m.Document, Call("GET", "/api/v1/knowledge/documents", query=given(page=page, limit=limit, cursor=cursor, tags=tags, content_type=content_type, q=q, status=status)), options)

    async def create_document(
        self,
        *,
        title: str | NotGiven = NOT_GIVEN,
        content: str | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        external_id: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant", "role"] | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        trusted: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Document:
        """Upload and index a document"""
        return await self._http.model(m.Document, Call("POST", "/api/v1/knowledge/documents", json=given(title=title, content=content, url=url, external_id=external_id, content_type=content_type, metadata=metadata, visibility=visibility, roles=roles, trusted=trusted), slow=True), options)

    async def get_document(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Document:
        """One document"""
        return await self._http.model(m.Document, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}"), options)

    async def update_document(
        self,
        id: str,
        *,
        title: str | NotGiven = NOT_GIVEN,
        metadata: dict[str, Any] | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant", "role"] | NotGiven = NOT_GIVEN,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]] | NotGiven = NOT_GIVEN,
        trusted: bool | NotGiven = NOT_GIVEN,
        seen_version: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Document:
        """Change title, metadata or visibility, or vouch for the document"""
        return await self._http.model(m.Document, Call("PATCH", f"/api/v1/knowledge/documents/{_segment(id)}", json=given(title=title, metadata=metadata, visibility=visibility, roles=roles, trusted=trusted, seen_version=seen_version)), options)

    async def delete_document(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a document (text, vectors and bytes), or take back an upload that is still read"""
        await self._http.none(Call("DELETE", f"/api/v1/knowledge/documents/{_segment(id)}"), options)

    async def list_document_chunks(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.DocumentChunk]:
        """The passages of a document, in reading order"""
        return await self._http.page(m.DocumentChunk, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/chunks", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_document_chunks_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.DocumentChunk]:
        """Every item of `list_document_chunks`, page by page."""
        return self._http.all(m.DocumentChunk, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/chunks", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def get_document_content(
        self,
        id: str,
        *,
        format: Literal["original", "text"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> bytes:
        """The bytes as uploaded, or the text read from them"""
        return await self._http.content(Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/content", query=given(format=format)), options)

    async def retry_document(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Document:
        """Read a file again whose upload has failed"""
        return await self._http.model(m.Document, Call("POST", f"/api/v1/knowledge/documents/{_segment(id)}/retry"), options)

    async def list_document_versions(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ListDocumentVersionsResult:
        """What the versions of a document were, newest first"""
        return await self._http.model(m.ListDocumentVersionsResult, Call("GET", f"/api/v1/knowledge/documents/{_segment(id)}/versions"), options)

    async def search(
        self,
        *,
        query: str,
        limit: int | NotGiven = NOT_GIVEN,
        filters: m.SearchRequestFilters | NotGiven = NOT_GIVEN,
        include_memories: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.SearchResponse:
        """Hybrid search over documents and, on request, memories"""
        return await self._http.model(m.SearchResponse, Call("POST", "/api/v1/knowledge/search", json=given(query=query, limit=limit, filters=filters, include_memories=include_memories)), options)

    async def list_document_tags(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.ListDocumentTagsResult:
        """The tags of documents, the collections of this platform, with how many documents each has"""
        return await self._http.model(m.ListDocumentTagsResult, Call("GET", "/api/v1/knowledge/tags"), options)


class Mcp:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_servers(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.McpServer]:
        """MCP servers that the caller may use"""
        return self._http.page(m.McpServer, Call("GET", "/api/v1/mcp/servers", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_servers_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.McpServer]:
        """Every item of `list_servers`, page by page."""
        return self._http.all(m.McpServer, Call("GET", "/api/v1/mcp/servers", query=given(page=page, limit=limit, cursor=cursor)), options)

    def create_server(
        self,
        *,
        name: str,
        transport: Literal["stdio", "http"],
        command: str | NotGiven = NOT_GIVEN,
        args: builtins.list[str] | NotGiven = NOT_GIVEN,
        env: dict[str, str] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        oauth: m.CreateMcpServerRequestOauth | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        timeout_ms: int | NotGiven = NOT_GIVEN,
        policy: m.CreateMcpServerRequestPolicy | NotGiven = NOT_GIVEN,
        access: m.CreateMcpServerRequestAccess | NotGiven = NOT_GIVEN,
        accept_tools: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """Register an MCP server for the tenant"""
        return self._http.model(m.McpServer, Call("POST", "/api/v1/mcp/servers", json=given(name=name, transport=transport, command=command, args=args, env=env, url=url, headers=headers, oauth=oauth, title=title, enabled=enabled, timeout_ms=timeout_ms, policy=policy, access=access, accept_tools=accept_tools)), options)

    def import_servers(
        self,
        *,
        mcpServers: dict[str, m.ImportMcpServersRequestMcpServer],
        options: CallOptions | None = None,
    ) -> m.ImportMcpServersResult:
        """Register all servers of a file in the mcpServers form"""
        return self._http.model(m.ImportMcpServersResult, Call("POST", "/api/v1/mcp/servers/import", json=given(mcpServers=mcpServers)), options)

    def test_server(
        self,
        *,
        transport: Literal["stdio", "http"],
        command: str | NotGiven = NOT_GIVEN,
        args: builtins.list[str] | NotGiven = NOT_GIVEN,
        env: dict[str, str] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        oauth: m.CreateMcpServerRequestOauth | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.TestMcpServerResult:
        """Try a server without registering it"""
        return self._http.model(m.TestMcpServerResult, Call("POST", "/api/v1/mcp/servers/test", json=given(transport=transport, command=command, args=args, env=env, url=url, headers=headers, oauth=oauth)), options)

    def update_server(
        self,
        name: str,
        *,
        command: str | NotGiven = NOT_GIVEN,
        args: builtins.list[str] | NotGiven = NOT_GIVEN,
        env: dict[str, str] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        oauth: m.CreateMcpServerRequestOauth | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        timeout_ms: int | NotGiven = NOT_GIVEN,
        policy: m.CreateMcpServerRequestPolicy | NotGiven = NOT_GIVEN,
        access: m.CreateMcpServerRequestAccess | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """Change a registered MCP server"""
        return self._http.model(m.McpServer, Call("PATCH", f"/api/v1/mcp/servers/{_segment(name)}", json=given(command=command, args=args, env=env, url=url, headers=headers, oauth=oauth, title=title, enabled=enabled, timeout_ms=timeout_ms, policy=policy, access=access)), options)

    def delete_server(
        self,
        name: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Remove a registered MCP server"""
        self._http.none(Call("DELETE", f"/api/v1/mcp/servers/{_segment(name)}"), options)

    def authorize_server(
        self,
        name: str,
        *,
        answer: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.AuthorizeMcpServerResult:
        """Begin to sign in at a server that asks for OAuth"""
        return self._http.model(m.AuthorizeMcpServerResult, Call("POST", f"/api/v1/mcp/servers/{_segment(name)}/authorize", json=given(answer=answer)), options)

    def get_server_logs(
        self,
        name: str,
        *,
        options: CallOptions | None = None,
    ) -> m.McpServerLogs:
        """Last lines that a server wrote to its standard error, and notices about its connection"""
        return self._http.model(m.McpServerLogs, Call("GET", f"/api/v1/mcp/servers/{_segment(name)}/logs"), options)

    def refresh_server(
        self,
        name: str,
        *,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """List the tools of a server anew, for one that tells of no changes"""
        return self._http.model(m.McpServer, Call("POST", f"/api/v1/mcp/servers/{_segment(name)}/refresh"), options)

    def call_tool(
        self,
        server: str,
        *,
        tool: str,
        arguments: dict[str, Any] | NotGiven = NOT_GIVEN,
        timeout_ms: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpCallResult | m.McpCallPending:
        """Call a tool of a server"""
        return cast("m.McpCallResult | m.McpCallPending", shaped((m.McpCallResult, m.McpCallPending,), self._http.json(Call("POST", f"/api/v1/mcp/{_segment(server)}/call", json=given(tool=tool, arguments=arguments, timeout_ms=timeout_ms), slow=True), options)))

    def list_prompts(
        self,
        server: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ListMcpPromptsResult:
        """Prompts of a server"""
        return self._http.model(m.ListMcpPromptsResult, Call("GET", f"/api/v1/mcp/{_segment(server)}/prompts"), options)

    def get_prompt(
        self,
        server: str,
        *,
        prompt: str,
        arguments: dict[str, str] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> dict[str, Any]:
        """A prompt with its arguments filled in"""
        return cast("dict[str, Any]", self._http.json(Call("POST", f"/api/v1/mcp/{_segment(server)}/prompts/get", json=given(prompt=prompt, arguments=arguments)), options))

    def list_resources(
        self,
        server: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ListMcpPromptsResult:
        """Resources of a server"""
        return self._http.model(m.ListMcpPromptsResult, Call("GET", f"/api/v1/mcp/{_segment(server)}/resources"), options)

    def read_resource(
        self,
        server: str,
        *,
        uri: str,
        options: CallOptions | None = None,
    ) -> m.ListMcpPromptsResult:
        """Contents of a resource"""
        return self._http.model(m.ListMcpPromptsResult, Call("GET", f"/api/v1/mcp/{_segment(server)}/resources/read", query=given(uri=uri)), options)

    def list_tools(
        self,
        server: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.McpTool]:
        """Tools of a server"""
        return self._http.page(m.McpTool, Call("GET", f"/api/v1/mcp/{_segment(server)}/tools", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_tools_all(
        self,
        server: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.McpTool]:
        """Every item of `list_tools`, page by page."""
        return self._http.all(m.McpTool, Call("GET", f"/api/v1/mcp/{_segment(server)}/tools", query=given(page=page, limit=limit, cursor=cursor)), options)

    def accept_tools(
        self,
        server: str,
        *,
        fingerprints: dict[str, str] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """Accept the tools of a server, as they are now"""
        return self._http.model(m.McpServer, Call("POST", f"/api/v1/mcp/{_segment(server)}/tools/accept", json=given(fingerprints=fingerprints)), options)

    def accept_tool(
        self,
        server: str,
        tool: str,
        *,
        fingerprint: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpTool:
        """Accept a tool that is new or has changed, as it is now"""
        return self._http.model(m.McpTool, Call("POST", f"/api/v1/mcp/{_segment(server)}/tools/{_segment(tool)}/accept", json=given(fingerprint=fingerprint)), options)


class AsyncMcp:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_servers(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.McpServer]:
        """MCP servers that the caller may use"""
        return await self._http.page(m.McpServer, Call("GET", "/api/v1/mcp/servers", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_servers_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.McpServer]:
        """Every item of `list_servers`, page by page."""
        return self._http.all(m.McpServer, Call("GET", "/api/v1/mcp/servers", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def create_server(
        self,
        *,
        name: str,
        transport: Literal["stdio", "http"],
        command: str | NotGiven = NOT_GIVEN,
        args: builtins.list[str] | NotGiven = NOT_GIVEN,
        env: dict[str, str] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        oauth: m.CreateMcpServerRequestOauth | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        timeout_ms: int | NotGiven = NOT_GIVEN,
        policy: m.CreateMcpServerRequestPolicy | NotGiven = NOT_GIVEN,
        access: m.CreateMcpServerRequestAccess | NotGiven = NOT_GIVEN,
        accept_tools: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """Register an MCP server for the tenant"""
        return await self._http.model(m.McpServer, Call("POST", "/api/v1/mcp/servers", json=given(name=name, transport=transport, command=command, args=args, env=env, url=url, headers=headers, oauth=oauth, title=title, enabled=enabled, timeout_ms=timeout_ms, policy=policy, access=access, accept_tools=accept_tools)), options)

    async def import_servers(
        self,
        *,
        mcpServers: dict[str, m.ImportMcpServersRequestMcpServer],
        options: CallOptions | None = None,
    ) -> m.ImportMcpServersResult:
        """Register all servers of a file in the mcpServers form"""
        return await self._http.model(m.ImportMcpServersResult, Call("POST", "/api/v1/mcp/servers/import", json=given(mcpServers=mcpServers)), options)

    async def test_server(
        self,
        *,
        transport: Literal["stdio", "http"],
        command: str | NotGiven = NOT_GIVEN,
        args: builtins.list[str] | NotGiven = NOT_GIVEN,
        env: dict[str, str] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        oauth: m.CreateMcpServerRequestOauth | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.TestMcpServerResult:
        """Try a server without registering it"""
        return await self._http.model(m.TestMcpServerResult, Call("POST", "/api/v1/mcp/servers/test", json=given(transport=transport, command=command, args=args, env=env, url=url, headers=headers, oauth=oauth)), options)

    async def update_server(
        self,
        name: str,
        *,
        command: str | NotGiven = NOT_GIVEN,
        args: builtins.list[str] | NotGiven = NOT_GIVEN,
        env: dict[str, str] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        oauth: m.CreateMcpServerRequestOauth | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        timeout_ms: int | NotGiven = NOT_GIVEN,
        policy: m.CreateMcpServerRequestPolicy | NotGiven = NOT_GIVEN,
        access: m.CreateMcpServerRequestAccess | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """Change a registered MCP server"""
        return await self._http.model(m.McpServer, Call("PATCH", f"/api/v1/mcp/servers/{_segment(name)}", json=given(command=command, args=args, env=env, url=url, headers=headers, oauth=oauth, title=title, enabled=enabled, timeout_ms=timeout_ms, policy=policy, access=access)), options)

    async def delete_server(
        self,
        name: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Remove a registered MCP server"""
        await self._http.none(Call("DELETE", f"/api/v1/mcp/servers/{_segment(name)}"), options)

    async def authorize_server(
        self,
        name: str,
        *,
        answer: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.AuthorizeMcpServerResult:
        """Begin to sign in at a server that asks for OAuth"""
        return await self._http.model(m.AuthorizeMcpServerResult, Call("POST", f"/api/v1/mcp/servers/{_segment(name)}/authorize", json=given(answer=answer)), options)

    async def get_server_logs(
        self,
        name: str,
        *,
        options: CallOptions | None = None,
    ) -> m.McpServerLogs:
        """Last lines that a server wrote to its standard error, and notices about its connection"""
        return await self._http.model(m.McpServerLogs, Call("GET", f"/api/v1/mcp/servers/{_segment(name)}/logs"), options)

    async def refresh_server(
        self,
        name: str,
        *,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """List the tools of a server anew, for one that tells of no changes"""
        return await self._http.model(m.McpServer, Call("POST", f"/api/v1/mcp/servers/{_segment(name)}/refresh"), options)

    async def call_tool(
        self,
        server: str,
        *,
        tool: str,
        arguments: dict[str, Any] | NotGiven = NOT_GIVEN,
        timeout_ms: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpCallResult | m.McpCallPending:
        """Call a tool of a server"""
        return cast("m.McpCallResult | m.McpCallPending", shaped((m.McpCallResult, m.McpCallPending,), await self._http.json(Call("POST", f"/api/v1/mcp/{_segment(server)}/call", json=given(tool=tool, arguments=arguments, timeout_ms=timeout_ms), slow=True), options)))

    async def list_prompts(
        self,
        server: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ListMcpPromptsResult:
        """Prompts of a server"""
        return await self._http.model(m.ListMcpPromptsResult, Call("GET", f"/api/v1/mcp/{_segment(server)}/prompts"), options)

    async def get_prompt(
        self,
        server: str,
        *,
        prompt: str,
        arguments: dict[str, str] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> dict[str, Any]:
        """A prompt with its arguments filled in"""
        return cast("dict[str, Any]", await self._http.json(Call("POST", f"/api/v1/mcp/{_segment(server)}/prompts/get", json=given(prompt=prompt, arguments=arguments)), options))

    async def list_resources(
        self,
        server: str,
        *,
        options: CallOptions | None = None,
    ) -> m.ListMcpPromptsResult:
        """Resources of a server"""
        return await self._http.model(m.ListMcpPromptsResult, Call("GET", f"/api/v1/mcp/{_segment(server)}/resources"), options)

    async def read_resource(
        self,
        server: str,
        *,
        uri: str,
        options: CallOptions | None = None,
    ) -> m.ListMcpPromptsResult:
        """Contents of a resource"""
        return await self._http.model(m.ListMcpPromptsResult, Call("GET", f"/api/v1/mcp/{_segment(server)}/resources/read", query=given(uri=uri)), options)

    async def list_tools(
        self,
        server: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.McpTool]:
        """Tools of a server"""
        return await self._http.page(m.McpTool, Call("GET", f"/api/v1/mcp/{_segment(server)}/tools", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_tools_all(
        self,
        server: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.McpTool]:
        """Every item of `list_tools`, page by page."""
        return self._http.all(m.McpTool, Call("GET", f"/api/v1/mcp/{_segment(server)}/tools", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def accept_tools(
        self,
        server: str,
        *,
        fingerprints: dict[str, str] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpServer:
        """Accept the tools of a server, as they are now"""
        return await self._http.model(m.McpServer, Call("POST", f"/api/v1/mcp/{_segment(server)}/tools/accept", json=given(fingerprints=fingerprints)), options)

    async def accept_tool(
        self,
        server: str,
        tool: str,
        *,
        fingerprint: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.McpTool:
        """Accept a tool that is new or has changed, as it is now"""
        return await self._http.model(m.McpTool, Call("POST", f"/api/v1/mcp/{_segment(server)}/tools/{_segment(tool)}/accept", json=given(fingerprint=fingerprint)), options)


class Memory:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_entities(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.MemoryEntity]:
        """Entities of the knowledge graph, the newest first"""
        return self._http.page(m.MemoryEntity, Call("GET", "/api/v1/memory/entities", query=given(page=page, limit=limit, cursor=cursor, q=q, type=type)), options)

    def list_entities_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.MemoryEntity]:
        """Every item of `list_entities`, page by page."""
        return self._http.all(m.MemoryEntity, Call("GET", "/api/v1/memory/entities", query=given(page=page, limit=limit, cursor=cursor, q=q, type=type)), options)

    def create_entity(
        self,
        *,
        name: str,
        entity_type: str,
        observations: builtins.list[str | m.CorrectMemoryObservationRequest] | NotGiven = NOT_GIVEN,
        importance: float | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Make an entity, or add observations to the one of this name and type (200)"""
        return self._http.model(m.MemoryEntity, Call("POST", "/api/v1/memory/entities", json=given(name=name, entity_type=entity_type, observations=observations, importance=importance, visibility=visibility)), options)

    def get_entity(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """One entity"""
        return self._http.model(m.MemoryEntity, Call("GET", f"/api/v1/memory/entities/{_segment(id)}"), options)

    def update_entity(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        entity_type: str | NotGiven = NOT_GIVEN,
        importance: float | NotGiven = NOT_GIVEN,
        visibility: Literal["tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Rename an entity, change its type or importance, or share it with the tenant"""
        return self._http.model(m.MemoryEntity, Call("PATCH", f"/api/v1/memory/entities/{_segment(id)}", json=given(name=name, entity_type=entity_type, importance=importance, visibility=visibility)), options)

    def delete_entity(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete an entity with its observations and relations"""
        self._http.none(Call("DELETE", f"/api/v1/memory/entities/{_segment(id)}"), options)

    def merge_entities(
        self,
        id: str,
        *,
        entity_id: str,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Take another entity of the same owner into this one"""
        return self._http.model(m.MemoryEntity, Call("POST", f"/api/v1/memory/entities/{_segment(id)}/merge", json=given(entity_id=entity_id)), options)

    def add_observations(
        self,
        id: str,
        *,
        text: str | NotGiven = NOT_GIVEN,
        observations: builtins.list[str | m.CorrectMemoryObservationRequest] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Add observations; what was said already is not repeated (200 when nothing is new)"""
        return self._http.model(m.MemoryEntity, Call("POST", f"/api/v1/memory/entities/{_segment(id)}/observations", json=given(text=text, observations=observations)), options)

    def correct_observation(
        self,
        id: str,
        observation_id: str,
        *,
        text: str,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Correct an observation: the earlier wording ends and stays as history"""
        return self._http.model(m.MemoryEntity, Call("PATCH", f"/api/v1/memory/entities/{_segment(id)}/observations/{_segment(observation_id)}", json=given(text=text)), options)

    def delete_observation(
        self,
        id: str,
        observation_id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete an observation for good"""
        self._http.none(Call("DELETE", f"/api/v1/memory/entities/{_segment(id)}/observations/{_segment(observation_id)}"), options)

    def export(
        self,
        *,
        options: CallOptions | None = None,
    ) -> str:
        """The own and the shared memory as JSON Lines, in the form of the public MCP memory server"""
        return self._http.text(Call("GET", "/api/v1/memory/export"), options)

    def get_graph(
        self,
        *,
        entity_id: str | NotGiven = NOT_GIVEN,
        depth: int | NotGiven = NOT_GIVEN,
        at: str | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryGraph:
        """What is reachable from an entity in one to three steps"""
        return self._http.model(m.MemoryGraph, Call("GET", "/api/v1/memory/graph", query=given(entity_id=entity_id, depth=depth, at=at, limit=limit)), options)

    def import_(
        self,
        lines: str,
        *,
        visibility: Literal["private", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ImportMemoryResult:
        """Take JSON Lines in, in the form of the public MCP memory server"""
        return self._http.model(m.ImportMemoryResult, Call("POST", "/api/v1/memory/import", query=given(visibility=visibility), raw=_lines(lines), slow=True), options)

    def list_preferences(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.MemoryPreference]:
        """How the caller wants to be answered, as the agents are told, the newest first"""
        return self._http.page(m.MemoryPreference, Call("GET", "/api/v1/memory/preferences", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_preferences_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.MemoryPreference]:
        """Every item of `list_preferences`, page by page."""
        return self._http.all(m.MemoryPreference, Call("GET", "/api/v1/memory/preferences", query=given(page=page, limit=limit, cursor=cursor)), options)

    def set_preference(
        self,
        *,
        name: Literal["language", "tone", "answer_length", "format", "units", "time_zone", "date_format", "form_of_address", "theme", "other"],
        value: str,
        options: CallOptions | None = None,
    ) -> m.MemoryPreference:
        """Set how the caller wants to be answered (200 when it was set already)"""
        return self._http.model(m.MemoryPreference, Call("POST", "/api/v1/memory/preferences", json=given(name=name, value=value)), options)

    def list_relations(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        entity_id: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        at: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.MemoryRelation]:
        """Relations between entities, the newest first"""
        return self._http.page(m.MemoryRelation, Call("GET", "/api/v1/memory/relations", query=given(page=page, limit=limit, cursor=cursor, entity_id=entity_id, type=type, at=at)), options)

    def list_relations_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        entity_id: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        at: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.MemoryRelation]:
        """Every item of `list_relations`, page by page."""
        return self._http.all(m.MemoryRelation, Call("GET", "/api/v1/memory/relations", query=given(page=page, limit=limit, cursor=cursor, entity_id=entity_id, type=type, at=at)), options)

    def create_relation(
        self,
        *,
        from_entity_id: str,
        to_entity_id: str,
        relation_type: str,
        properties: dict[str, Any] | NotGiven = NOT_GIVEN,
        valid_from: str | NotGiven = NOT_GIVEN,
        valid_to: str | None | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryRelation:
        """Tie two entities; the same relation that holds already is answered with 200"""
        return self._http.model(m.MemoryRelation, Call("POST", "/api/v1/memory/relations", json=given(from_entity_id=from_entity_id, to_entity_id=to_entity_id, relation_type=relation_type, properties=properties, valid_from=valid_from, valid_to=valid_to, visibility=visibility)), options)

    def get_relation(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.MemoryRelation:
        """One relation"""
        return self._http.model(m.MemoryRelation, Call("GET", f"/api/v1/memory/relations/{_segment(id)}"), options)

    def update_relation(
        self,
        id: str,
        *,
        relation_type: str | NotGiven = NOT_GIVEN,
        properties: dict[str, Any] | NotGiven = NOT_GIVEN,
        valid_from: str | NotGiven = NOT_GIVEN,
        valid_to: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryRelation:
        """Change a relation, or end it"""
        return self._http.model(m.MemoryRelation, Call("PATCH", f"/api/v1/memory/relations/{_segment(id)}", json=given(relation_type=relation_type, properties=properties, valid_from=valid_from, valid_to=valid_to)), options)

    def delete_relation(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a relation"""
        self._http.none(Call("DELETE", f"/api/v1/memory/relations/{_segment(id)}"), options)


class AsyncMemory:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_entities(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.MemoryEntity]:
        """Entities of the knowledge graph, the newest first"""
        return await self._http.page(m.MemoryEntity, Call("GET", "/api/v1/memory/entities", query=given(page=page, limit=limit, cursor=cursor, q=q, type=type)), options)

    def list_entities_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.MemoryEntity]:
        """Every item of `list_entities`, page by page."""
        return self._http.all(m.MemoryEntity, Call("GET", "/api/v1/memory/entities", query=given(page=page, limit=limit, cursor=cursor, q=q, type=type)), options)

    async def create_entity(
        self,
        *,
        name: str,
        entity_type: str,
        observations: builtins.list[str | m.CorrectMemoryObservationRequest] | NotGiven = NOT_GIVEN,
        importance: float | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Make an entity, or add observations to the one of this name and type (200)"""
        return await self._http.model(m.MemoryEntity, Call("POST", "/api/v1/memory/entities", json=given(name=name, entity_type=entity_type, observations=observations, importance=importance, visibility=visibility)), options)

    async def get_entity(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """One entity"""
        return await self._http.model(m.MemoryEntity, Call("GET", f"/api/v1/memory/entities/{_segment(id)}"), options)

    async def update_entity(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        entity_type: str | NotGiven = NOT_GIVEN,
        importance: float | NotGiven = NOT_GIVEN,
        visibility: Literal["tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Rename an entity, change its type or importance, or share it with the tenant"""
        return await self._http.model(m.MemoryEntity, Call("PATCH", f"/api/v1/memory/entities/{_segment(id)}", json=given(name=name, entity_type=entity_type, importance=importance, visibility=visibility)), options)

    async def delete_entity(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete an entity with its observations and relations"""
        await self._http.none(Call("DELETE", f"/api/v1/memory/entities/{_segment(id)}"), options)

    async def merge_entities(
        self,
        id: str,
        *,
        entity_id: str,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Take another entity of the same owner into this one"""
        return await self._http.model(m.MemoryEntity, Call("POST", f"/api/v1/memory/entities/{_segment(id)}/merge", json=given(entity_id=entity_id)), options)

    async def add_observations(
        self,
        id: str,
        *,
        text: str | NotGiven = NOT_GIVEN,
        observations: builtins.list[str | m.CorrectMemoryObservationRequest] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Add observations; what was said already is not repeated (200 when nothing is new)"""
        return await self._http.model(m.MemoryEntity, Call("POST", f"/api/v1/memory/entities/{_segment(id)}/observations", json=given(text=text, observations=observations)), options)

    async def correct_observation(
        self,
        id: str,
        observation_id: str,
        *,
        text: str,
        options: CallOptions | None = None,
    ) -> m.MemoryEntity:
        """Correct an observation: the earlier wording ends and stays as history"""
        return await self._http.model(m.MemoryEntity, Call("PATCH", f"/api/v1/memory/entities/{_segment(id)}/observations/{_segment(observation_id)}", json=given(text=text)), options)

    async def delete_observation(
        self,
        id: str,
        observation_id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete an observation for good"""
        await self._http.none(Call("DELETE", f"/api/v1/memory/entities/{_segment(id)}/observations/{_segment(observation_id)}"), options)

    async def export(
        self,
        *,
        options: CallOptions | None = None,
    ) -> str:
        """The own and the shared memory as JSON Lines, in the form of the public MCP memory server"""
        return await self._http.text(Call("GET", "/api/v1/memory/export"), options)

    async def get_graph(
        self,
        *,
        entity_id: str | NotGiven = NOT_GIVEN,
        depth: int | NotGiven = NOT_GIVEN,
        at: str | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryGraph:
        """What is reachable from an entity in one to three steps"""
        return await self._http.model(m.MemoryGraph, Call("GET", "/api/v1/memory/graph", query=given(entity_id=entity_id, depth=depth, at=at, limit=limit)), options)

    async def import_(
        self,
        lines: str,
        *,
        visibility: Literal["private", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.ImportMemoryResult:
        """Take JSON Lines in, in the form of the public MCP memory server"""
        return await self._http.model(m.ImportMemoryResult, Call("POST", "/api/v1/memory/import", query=given(visibility=visibility), raw=_lines(lines), slow=True), options)

    async def list_preferences(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.MemoryPreference]:
        """How the caller wants to be answered, as the agents are told, the newest first"""
        return await self._http.page(m.MemoryPreference, Call("GET", "/api/v1/memory/preferences", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_preferences_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.MemoryPreference]:
        """Every item of `list_preferences`, page by page."""
        return self._http.all(m.MemoryPreference, Call("GET", "/api/v1/memory/preferences", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def set_preference(
        self,
        *,
        name: Literal["language", "tone", "answer_length", "format", "units", "time_zone", "date_format", "form_of_address", "theme", "other"],
        value: str,
        options: CallOptions | None = None,
    ) -> m.MemoryPreference:
        """Set how the caller wants to be answered (200 when it was set already)"""
        return await self._http.model(m.MemoryPreference, Call("POST", "/api/v1/memory/preferences", json=given(name=name, value=value)), options)

    async def list_relations(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        entity_id: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        at: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.MemoryRelation]:
        """Relations between entities, the newest first"""
        return await self._http.page(m.MemoryRelation, Call("GET", "/api/v1/memory/relations", query=given(page=page, limit=limit, cursor=cursor, entity_id=entity_id, type=type, at=at)), options)

    def list_relations_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        entity_id: str | NotGiven = NOT_GIVEN,
        type: str | NotGiven = NOT_GIVEN,
        at: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.MemoryRelation]:
        """Every item of `list_relations`, page by page."""
        return self._http.all(m.MemoryRelation, Call("GET", "/api/v1/memory/relations", query=given(page=page, limit=limit, cursor=cursor, entity_id=entity_id, type=type, at=at)), options)

    async def create_relation(
        self,
        *,
        from_entity_id: str,
        to_entity_id: str,
        relation_type: str,
        properties: dict[str, Any] | NotGiven = NOT_GIVEN,
        valid_from: str | NotGiven = NOT_GIVEN,
        valid_to: str | None | NotGiven = NOT_GIVEN,
        visibility: Literal["private", "tenant"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryRelation:
        """Tie two entities; the same relation that holds already is answered with 200"""
        return await self._http.model(m.MemoryRelation, Call("POST", "/api/v1/memory/relations", json=given(from_entity_id=from_entity_id, to_entity_id=to_entity_id, relation_type=relation_type, properties=properties, valid_from=valid_from, valid_to=valid_to, visibility=visibility)), options)

    async def get_relation(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.MemoryRelation:
        """One relation"""
        return await self._http.model(m.MemoryRelation, Call("GET", f"/api/v1/memory/relations/{_segment(id)}"), options)

    async def update_relation(
        self,
        id: str,
        *,
        relation_type: str | NotGiven = NOT_GIVEN,
        properties: dict[str, Any] | NotGiven = NOT_GIVEN,
        valid_from: str | NotGiven = NOT_GIVEN,
        valid_to: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.MemoryRelation:
        """Change a relation, or end it"""
        return await self._http.model(m.MemoryRelation, Call("PATCH", f"/api/v1/memory/relations/{_segment(id)}", json=given(relation_type=relation_type, properties=properties, valid_from=valid_from, valid_to=valid_to)), options)

    async def delete_relation(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a relation"""
        await self._http.none(Call("DELETE", f"/api/v1/memory/relations/{_segment(id)}"), options)


class Models:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Model]:
        """Models that a caller may name in `context.model`, the default first"""
        return self._http.page(m.Model, Call("GET", "/api/v1/models", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Model]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Model, Call("GET", "/api/v1/models", query=given(page=page, limit=limit, cursor=cursor)), options)


class AsyncModels:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Model]:
        """Models that a caller may name in `context.model`, the default first"""
        return await self._http.page(m.Model, Call("GET", "/api/v1/models", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Model]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Model, Call("GET", "/api/v1/models", query=given(page=page, limit=limit, cursor=cursor)), options)


class Notifications:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        unread: bool | NotGiven = NOT_GIVEN,
        category: Literal["tasks", "proposals", "costs", "documents", "agents", "system"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Notification]:
        """The caller’s inbox, newest first"""
        return self._http.page(m.Notification, Call("GET", "/api/v1/notifications", query=given(page=page, limit=limit, cursor=cursor, unread=unread, category=category)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        unread: bool | NotGiven = NOT_GIVEN,
        category: Literal["tasks", "proposals", "costs", "documents", "agents", "system"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Notification]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Notification, Call("GET", "/api/v1/notifications", query=given(page=page, limit=limit, cursor=cursor, unread=unread, category=category)), options)

    def get_preferences(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.NotificationPreferences:
        """By which channels the caller is told of what"""
        return self._http.model(m.NotificationPreferences, Call("GET", "/api/v1/notifications/preferences"), options)

    def update_preferences(
        self,
        *,
        categories: m.UpdateNotificationPreferencesRequestCategories,
        options: CallOptions | None = None,
    ) -> m.NotificationPreferences:
        """Change channels; what is not named stays"""
        return self._http.model(m.NotificationPreferences, Call("PATCH", "/api/v1/notifications/preferences", json=given(categories=categories)), options)

    def read_all(
        self,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Mark all as read"""
        self._http.none(Call("POST", "/api/v1/notifications/read-all"), options)

    def count_unread(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.CountUnreadNotificationsResult:
        """How many have not been read"""
        return self._http.model(m.CountUnreadNotificationsResult, Call("GET", "/api/v1/notifications/unread"), options)

    def read(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Notification:
        """Mark one as read"""
        return self._http.model(m.Notification, Call("POST", f"/api/v1/notifications/{_segment(id)}/read"), options)


class AsyncNotifications:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        unread: bool | NotGiven = NOT_GIVEN,
        category: Literal["tasks", "proposals", "costs", "documents", "agents", "system"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Notification]:
        """The caller’s inbox, newest first"""
        return await self._http.page(m.Notification, Call("GET", "/api/v1/notifications", query=given(page=page, limit=limit, cursor=cursor, unread=unread, category=category)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        unread: bool | NotGiven = NOT_GIVEN,
        category: Literal["tasks", "proposals", "costs", "documents", "agents", "system"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Notification]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Notification, Call("GET", "/api/v1/notifications", query=given(page=page, limit=limit, cursor=cursor, unread=unread, category=category)), options)

    async def get_preferences(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.NotificationPreferences:
        """By which channels the caller is told of what"""
        return await self._http.model(m.NotificationPreferences, Call("GET", "/api/v1/notifications/preferences"), options)

    async def update_preferences(
        self,
        *,
        categories: m.UpdateNotificationPreferencesRequestCategories,
        options: CallOptions | None = None,
    ) -> m.NotificationPreferences:
        """Change channels; what is not named stays"""
        return await self._http.model(m.NotificationPreferences, Call("PATCH", "/api/v1/notifications/preferences", json=given(categories=categories)), options)

    async def read_all(
        self,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Mark all as read"""
        await self._http.none(Call("POST", "/api/v1/notifications/read-all"), options)

    async def count_unread(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.CountUnreadNotificationsResult:
        """How many have not been read"""
        return await self._http.model(m.CountUnreadNotificationsResult, Call("GET", "/api/v1/notifications/unread"), options)

    async def read(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Notification:
        """Mark one as read"""
        return await self._http.model(m.Notification, Call("POST", f"/api/v1/notifications/{_segment(id)}/read"), options)


class Tasks:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["scheduled", "queued", "running", "awaiting_approval", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Task]:
        """Tasks, newest first"""
        return self._http.page(m.Task, Call("GET", "/api/v1/tasks", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["scheduled", "queued", "running", "awaiting_approval", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Task]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Task, Call("GET", "/api/v1/tasks", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    def create(
        self,
        *,
        description: str,
        agent_id: str | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        priority: Literal["low", "normal", "high", "urgent"] | NotGiven = NOT_GIVEN,
        scheduled_at: str | NotGiven = NOT_GIVEN,
        cron: str | NotGiven = NOT_GIVEN,
        timezone: str | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue"] | NotGiven = NOT_GIVEN,
        missed: Literal["run_once", "skip"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Task:
        """Have an agent do something: now, at a time, or by cron"""
        return self._http.model(m.Task, Call("POST", "/api/v1/tasks", json=given(description=description, agent_id=agent_id, context=context, priority=priority, scheduled_at=scheduled_at, cron=cron, timezone=timezone, overlap=overlap, missed=missed)), options)

    def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Task:
        """One task"""
        return self._http.model(m.Task, Call("GET", f"/api/v1/tasks/{_segment(id)}"), options)

    def update(
        self,
        id: str,
        *,
        description: str | NotGiven = NOT_GIVEN,
        agent_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        priority: Literal["low", "normal", "high", "urgent"] | NotGiven = NOT_GIVEN,
        scheduled_at: str | NotGiven = NOT_GIVEN,
        cron: str | NotGiven = NOT_GIVEN,
        timezone: str | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue"] | NotGiven = NOT_GIVEN,
        missed: Literal["run_once", "skip"] | NotGiven = NOT_GIVEN,
        paused: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Task:
        """Change what future runs do, and when"""
        return self._http.model(m.Task, Call("PATCH", f"/api/v1/tasks/{_segment(id)}", json=given(description=description, agent_id=agent_id, context=context, priority=priority, scheduled_at=scheduled_at, cron=cron, timezone=timezone, overlap=overlap, missed=missed, paused=paused)), options)

    def delete(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Cancel a task and remove it with its history"""
        self._http.none(Call("DELETE", f"/api/v1/tasks/{_segment(id)}"), options)

    def cancel(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Task:
        """End a task: its run is stopped, its schedule too"""
        return self._http.model(m.Task, Call("POST", f"/api/v1/tasks/{_segment(id)}/cancel"), options)

    def retry(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Task:
        """Run a failed or cancelled task again"""
        return self._http.model(m.Task, Call("POST", f"/api/v1/tasks/{_segment(id)}/retry"), options)

    def list_runs(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.TaskRun]:
        """Runs of a task, newest first: one for each due slot"""
        return self._http.page(m.TaskRun, Call("GET", f"/api/v1/tasks/{_segment(id)}/runs", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_runs_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.TaskRun]:
        """Every item of `list_runs`, page by page."""
        return self._http.all(m.TaskRun, Call("GET", f"/api/v1/tasks/{_segment(id)}/runs", query=given(page=page, limit=limit, cursor=cursor)), options)


class AsyncTasks:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["scheduled", "queued", "running", "awaiting_approval", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Task]:
        """Tasks, newest first"""
        return await self._http.page(m.Task, Call("GET", "/api/v1/tasks", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["scheduled", "queued", "running", "awaiting_approval", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Task]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Task, Call("GET", "/api/v1/tasks", query=given(page=page, limit=limit, cursor=cursor, status=status, agent_id=agent_id)), options)

    async def create(
        self,
        *,
        description: str,
        agent_id: str | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | NotGiven = NOT_GIVEN,
        priority: Literal["low", "normal", "high", "urgent"] | NotGiven = NOT_GIVEN,
        scheduled_at: str | NotGiven = NOT_GIVEN,
        cron: str | NotGiven = NOT_GIVEN,
        timezone: str | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue"] | NotGiven = NOT_GIVEN,
        missed: Literal["run_once", "skip"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Task:
        """Have an agent do something: now, at a time, or by cron"""
        return await self._http.model(m.Task, Call("POST", "/api/v1/tasks", json=given(description=description, agent_id=agent_id, context=context, priority=priority, scheduled_at=scheduled_at, cron=cron, timezone=timezone, overlap=overlap, missed=missed)), options)

    async def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Task:
        """One task"""
        return await self._http.model(m.Task, Call("GET", f"/api/v1/tasks/{_segment(id)}"), options)

    async def update(
        self,
        id: str,
        *,
        description: str | NotGiven = NOT_GIVEN,
        agent_id: str | None | NotGiven = NOT_GIVEN,
        context: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        priority: Literal["low", "normal", "high", "urgent"] | NotGiven = NOT_GIVEN,
        scheduled_at: str | NotGiven = NOT_GIVEN,
        cron: str | NotGiven = NOT_GIVEN,
        timezone: str | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue"] | NotGiven = NOT_GIVEN,
        missed: Literal["run_once", "skip"] | NotGiven = NOT_GIVEN,
        paused: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Task:
        """Change what future runs do, and when"""
        return await self._http.model(m.Task, Call("PATCH", f"/api/v1/tasks/{_segment(id)}", json=given(description=description, agent_id=agent_id, context=context, priority=priority, scheduled_at=scheduled_at, cron=cron, timezone=timezone, overlap=overlap, missed=missed, paused=paused)), options)

    async def delete(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Cancel a task and remove it with its history"""
        await self._http.none(Call("DELETE", f"/api/v1/tasks/{_segment(id)}"), options)

    async def cancel(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Task:
        """End a task: its run is stopped, its schedule too"""
        return await self._http.model(m.Task, Call("POST", f"/api/v1/tasks/{_segment(id)}/cancel"), options)

    async def retry(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Task:
        """Run a failed or cancelled task again"""
        return await self._http.model(m.Task, Call("POST", f"/api/v1/tasks/{_segment(id)}/retry"), options)

    async def list_runs(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.TaskRun]:
        """Runs of a task, newest first: one for each due slot"""
        return await self._http.page(m.TaskRun, Call("GET", f"/api/v1/tasks/{_segment(id)}/runs", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_runs_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.TaskRun]:
        """Every item of `list_runs`, page by page."""
        return self._http.all(m.TaskRun, Call("GET", f"/api/v1/tasks/{_segment(id)}/runs", query=given(page=page, limit=limit, cursor=cursor)), options)


class Webhooks:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Webhook]:
        """Webhooks of the tenant, newest first"""
        return self._http.page(m.Webhook, Call("GET", "/api/v1/webhooks", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Webhook]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Webhook, Call("GET", "/api/v1/webhooks", query=given(page=page, limit=limit, cursor=cursor)), options)

    def create(
        self,
        *,
        url: str,
        events: builtins.list[Literal["*", "conversation.completed", "message.created", "proposal.created", "proposal.decided", "task.completed", "task.failed", "document.indexed", "document.failed", "cost.alert", "cost.limit_reached", "agent.state_changed", "user.created", "notification"]],
        description: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedWebhook:
        """Subscribe an address to events; the signing secret is shown this once"""
        return self._http.model(m.CreatedWebhook, Call("POST", "/api/v1/webhooks", json=given(url=url, events=events, description=description)), options)

    def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Webhook:
        """One webhook"""
        return self._http.model(m.Webhook, Call("GET", f"/api/v1/webhooks/{_segment(id)}"), options)

    def update(
        self,
        id: str,
        *,
        url: str | NotGiven = NOT_GIVEN,
        events: builtins.list[Literal["*", "conversation.completed", "message.created", "proposal.created", "proposal.decided", "task.completed", "task.failed", "document.indexed", "document.failed", "cost.alert", "cost.limit_reached", "agent.state_changed", "user.created", "notification"]] | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "disabled"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Webhook:
        """Change a webhook, or switch it on or off"""
        return self._http.model(m.Webhook, Call("PATCH", f"/api/v1/webhooks/{_segment(id)}", json=given(url=url, events=events, description=description, status=status)), options)

    def delete(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Remove a webhook with its log"""
        self._http.none(Call("DELETE", f"/api/v1/webhooks/{_segment(id)}"), options)

    def list_deliveries(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "delivered", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        event: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.WebhookDelivery]:
        """Deliveries of a webhook, newest first"""
        return self._http.page(m.WebhookDelivery, Call("GET", f"/api/v1/webhooks/{_segment(id)}/deliveries", query=given(page=page, limit=limit, cursor=cursor, status=status, event=event)), options)

    def list_deliveries_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "delivered", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        event: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.WebhookDelivery]:
        """Every item of `list_deliveries`, page by page."""
        return self._http.all(m.WebhookDelivery, Call("GET", f"/api/v1/webhooks/{_segment(id)}/deliveries", query=given(page=page, limit=limit, cursor=cursor, status=status, event=event)), options)

    def get_delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.WebhookDeliveryDetail:
        """One delivery with all its attempts"""
        return self._http.model(m.WebhookDeliveryDetail, Call("GET", f"/api/v1/webhooks/{_segment(id)}/deliveries/{_segment(delivery_id)}"), options)

    def redeliver(
        self,
        id: str,
        delivery_id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.WebhookDelivery:
        """Try a delivery again, with the same id and body"""
        return self._http.model(m.WebhookDelivery, Call("POST", f"/api/v1/webhooks/{_segment(id)}/deliveries/{_segment(delivery_id)}/redeliver"), options)

    def rotate_secret(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.CreatedWebhook:
        """A new signing secret; the old one signs along for 24 h"""
        return self._http.model(m.CreatedWebhook, Call("POST", f"/api/v1/webhooks/{_segment(id)}/rotate-secret"), options)

    def test(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.WebhookDeliveryDetail:
        """Send a webhook.test event now and see what comes back"""
        return self._http.model(m.WebhookDeliveryDetail, Call("POST", f"/api/v1/webhooks/{_segment(id)}/test"), options)


class AsyncWebhooks:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Webhook]:
        """Webhooks of the tenant, newest first"""
        return await self._http.page(m.Webhook, Call("GET", "/api/v1/webhooks", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Webhook]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Webhook, Call("GET", "/api/v1/webhooks", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def create(
        self,
        *,
        url: str,
        events: builtins.list[Literal["*", "conversation.completed", "message.created", "proposal.created", "proposal.decided", "task.completed", "task.failed", "document.indexed", "document.failed", "cost.alert", "cost.limit_reached", "agent.state_changed", "user.created", "notification"]],
        description: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedWebhook:
        """Subscribe an address to events; the signing secret is shown this once"""
        return await self._http.model(m.CreatedWebhook, Call("POST", "/api/v1/webhooks", json=given(url=url, events=events, description=description)), options)

    async def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Webhook:
        """One webhook"""
        return await self._http.model(m.Webhook, Call("GET", f"/api/v1/webhooks/{_segment(id)}"), options)

    async def update(
        self,
        id: str,
        *,
        url: str | NotGiven = NOT_GIVEN,
        events: builtins.list[Literal["*", "conversation.completed", "message.created", "proposal.created", "proposal.decided", "task.completed", "task.failed", "document.indexed", "document.failed", "cost.alert", "cost.limit_reached", "agent.state_changed", "user.created", "notification"]] | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "disabled"] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Webhook:
        """Change a webhook, or switch it on or off"""
        return await self._http.model(m.Webhook, Call("PATCH", f"/api/v1/webhooks/{_segment(id)}", json=given(url=url, events=events, description=description, status=status)), options)

    async def delete(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Remove a webhook with its log"""
        await self._http.none(Call("DELETE", f"/api/v1/webhooks/{_segment(id)}"), options)

    async def list_deliveries(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "delivered", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        event: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.WebhookDelivery]:
        """Deliveries of a webhook, newest first"""
        return await self._http.page(m.WebhookDelivery, Call("GET", f"/api/v1/webhooks/{_segment(id)}/deliveries", query=given(page=page, limit=limit, cursor=cursor, status=status, event=event)), options)

    def list_deliveries_all(
        self,
        id: str,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "delivered", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        event: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.WebhookDelivery]:
        """Every item of `list_deliveries`, page by page."""
        return self._http.all(m.WebhookDelivery, Call("GET", f"/api/v1/webhooks/{_segment(id)}/deliveries", query=given(page=page, limit=limit, cursor=cursor, status=status, event=event)), options)

    async def get_delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.WebhookDeliveryDetail:
        """One delivery with all its attempts"""
        return await self._http.model(m.WebhookDeliveryDetail, Call("GET", f"/api/v1/webhooks/{_segment(id)}/deliveries/{_segment(delivery_id)}"), options)

    async def redeliver(
        self,
        id: str,
        delivery_id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.WebhookDelivery:
        """Try a delivery again, with the same id and body"""
        return await self._http.model(m.WebhookDelivery, Call("POST", f"/api/v1/webhooks/{_segment(id)}/deliveries/{_segment(delivery_id)}/redeliver"), options)

    async def rotate_secret(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.CreatedWebhook:
        """A new signing secret; the old one signs along for 24 h"""
        return await self._http.model(m.CreatedWebhook, Call("POST", f"/api/v1/webhooks/{_segment(id)}/rotate-secret"), options)

    async def test(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.WebhookDeliveryDetail:
        """Send a webhook.test event now and see what comes back"""
        return await self._http.model(m.WebhookDeliveryDetail, Call("POST", f"/api/v1/webhooks/{_segment(id)}/test"), options)


class System:
    def __init__(self, http: Http) -> None:
        self._http = http

    def health(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.Health:
        """The process runs"""
        return self._http.model(m.Health, Call("GET", "/health"), options)

    def metrics(
        self,
        *,
        options: CallOptions | None = None,
    ) -> str:
        """Prometheus metrics"""
        return self._http.text(Call("GET", "/metrics"), options)

    def ready(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.Readiness:
        """Ready to serve requests; 503 with the same body when not"""
        return self._http.model(m.Readiness, Call("GET", "/ready"), options)


class AsyncSystem:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def health(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.Health:
        """The process runs"""
        return await self._http.model(m.Health, Call("GET", "/health"), options)

    async def metrics(
        self,
        *,
        options: CallOptions | None = None,
    ) -> str:
        """Prometheus metrics"""
        return await self._http.text(Call("GET", "/metrics"), options)

    async def ready(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.Readiness:
        """Ready to serve requests; 503 with the same body when not"""
        return await self._http.model(m.Readiness, Call("GET", "/ready"), options)


class Audit:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_events(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        actor: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        outcome: Literal["success", "refused", "failed"] | NotGiven = NOT_GIVEN,
        target: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.AuditEvent]:
        """What happened in the tenant, newest first"""
        return self._http.page(m.AuditEvent, Call("GET", "/v2/audit", query=given(page=page, limit=limit, cursor=cursor, actor=actor, action=action, outcome=outcome, target=target, from_=from_, to=to)), options)

    def list_events_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        actor: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        outcome: Literal["success", "refused", "failed"] | NotGiven = NOT_GIVEN,
        target: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.AuditEvent]:
        """Every item of `list_events`, page by page."""
        return self._http.all(m.AuditEvent, Call("GET", "/v2/audit", query=given(page=page, limit=limit, cursor=cursor, actor=actor, action=action, outcome=outcome, target=target, from_=from_, to=to)), options)

    def verify(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.VerifyAuditResult:
        """Prove the chain of the tenant from its first row to its head"""
        return self._http.model(m.VerifyAuditResult, Call("GET", "/v2/audit/verify"), options)


class AsyncAudit:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_events(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        actor: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        outcome: Literal["success", "refused", "failed"] | NotGiven = NOT_GIVEN,
        target: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.AuditEvent]:
        """What happened in the tenant, newest first"""
        return await self._http.page(m.AuditEvent, Call("GET", "/v2/audit", query=given(page=page, limit=limit, cursor=cursor, actor=actor, action=action, outcome=outcome, target=target, from_=from_, to=to)), options)

    def list_events_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        actor: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        outcome: Literal["success", "refused", "failed"] | NotGiven = NOT_GIVEN,
        target: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.AuditEvent]:
        """Every item of `list_events`, page by page."""
        return self._http.all(m.AuditEvent, Call("GET", "/v2/audit", query=given(page=page, limit=limit, cursor=cursor, actor=actor, action=action, outcome=outcome, target=target, from_=from_, to=to)), options)

    async def verify(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.VerifyAuditResult:
        """Prove the chain of the tenant from its first row to its head"""
        return await self._http.model(m.VerifyAuditResult, Call("GET", "/v2/audit/verify"), options)


class Auth:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_api_keys(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.ApiKey]:
        """API keys of the caller"""
        return self._http.page(m.ApiKey, Call("GET", "/v2/auth/api-keys", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_api_keys_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.ApiKey]:
        """Every item of `list_api_keys`, page by page."""
        return self._http.all(m.ApiKey, Call("GET", "/v2/auth/api-keys", query=given(page=page, limit=limit, cursor=cursor)), options)

    def create_api_key(
        self,
        *,
        name: str,
        permissions: builtins.list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]] | NotGiven = NOT_GIVEN,
        expires_at: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedApiKey:
        """Make an API key; the secret is shown once"""
        return self._http.model(m.CreatedApiKey, Call("POST", "/v2/auth/api-keys", json=given(name=name, permissions=permissions, expires_at=expires_at)), options)

    def delete_api_key(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete an API key; it stops working at once"""
        self._http.none(Call("DELETE", f"/v2/auth/api-keys/{_segment(id)}"), options)

    def rotate_api_key(
        self,
        id: str,
        *,
        overlap_s: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedApiKey:
        """Replace an API key; the old secret works for an overlap"""
        return self._http.model(m.CreatedApiKey, Call("POST", f"/v2/auth/api-keys/{_segment(id)}/rotate", json=given(overlap_s=overlap_s)), options)

    def login(
        self,
        *,
        email: str,
        password: str,
        options: CallOptions | None = None,
    ) -> m.TokenResponse:
        """Sign in with e-mail and password"""
        return self._http.model(m.TokenResponse, Call("POST", "/v2/auth/login", json=given(email=email, password=password)), options)

    def logout(
        self,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """End the session of the token"""
        self._http.none(Call("POST", "/v2/auth/logout"), options)

    def get_me(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.Caller:
        """Claims, tier and effective permissions of the caller"""
        return self._http.model(m.Caller, Call("GET", "/v2/auth/me"), options)

    def forgot_password(
        self,
        *,
        email: str,
        options: CallOptions | None = None,
    ) -> None:
        """Ask for a link to a new password; it goes by mail if the account exists"""
        self._http.none(Call("POST", "/v2/auth/password/forgot", json=given(email=email)), options)

    def reset_password(
        self,
        *,
        token: str,
        password: str,
        options: CallOptions | None = None,
    ) -> None:
        """Set the password that an invitation or reset link is for"""
        self._http.none(Call("POST", "/v2/auth/password/reset", json=given(token=token, password=password)), options)

    def refresh(
        self,
        *,
        refresh_token: str,
        options: CallOptions | None = None,
    ) -> m.TokenResponse:
        """Exchange a refresh token for a new pair"""
        return self._http.model(m.TokenResponse, Call("POST", "/v2/auth/refresh", json=given(refresh_token=refresh_token)), options)


class AsyncAuth:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_api_keys(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.ApiKey]:
        """API keys of the caller"""
        return await self._http.page(m.ApiKey, Call("GET", "/v2/auth/api-keys", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_api_keys_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.ApiKey]:
        """Every item of `list_api_keys`, page by page."""
        return self._http.all(m.ApiKey, Call("GET", "/v2/auth/api-keys", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def create_api_key(
        self,
        *,
        name: str,
        permissions: builtins.list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]] | NotGiven = NOT_GIVEN,
        expires_at: str | None | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedApiKey:
        """Make an API key; the secret is shown once"""
        return await self._http.model(m.CreatedApiKey, Call("POST", "/v2/auth/api-keys", json=given(name=name, permissions=permissions, expires_at=expires_at)), options)

    async def delete_api_key(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete an API key; it stops working at once"""
        await self._http.none(Call("DELETE", f"/v2/auth/api-keys/{_segment(id)}"), options)

    async def rotate_api_key(
        self,
        id: str,
        *,
        overlap_s: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedApiKey:
        """Replace an API key; the old secret works for an overlap"""
        return await self._http.model(m.CreatedApiKey, Call("POST", f"/v2/auth/api-keys/{_segment(id)}/rotate", json=given(overlap_s=overlap_s)), options)

    async def login(
        self,
        *,
        email: str,
        password: str,
        options: CallOptions | None = None,
    ) -> m.TokenResponse:
        """Sign in with e-mail and password"""
        return await self._http.model(m.TokenResponse, Call("POST", "/v2/auth/login", json=given(email=email, password=password)), options)

    async def logout(
        self,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """End the session of the token"""
        await self._http.none(Call("POST", "/v2/auth/logout"), options)

    async def get_me(
        self,
        *,
        options: CallOptions | None = None,
    ) -> m.Caller:
        """Claims, tier and effective permissions of the caller"""
        return await self._http.model(m.Caller, Call("GET", "/v2/auth/me"), options)

    async def forgot_password(
        self,
        *,
        email: str,
        options: CallOptions | None = None,
    ) -> None:
        """Ask for a link to a new password; it goes by mail if the account exists"""
        await self._http.none(Call("POST", "/v2/auth/password/forgot", json=given(email=email)), options)

    async def reset_password(
        self,
        *,
        token: str,
        password: str,
        options: CallOptions | None = None,
    ) -> None:
        """Set the password that an invitation or reset link is for"""
        await self._http.none(Call("POST", "/v2/auth/password/reset", json=given(token=token, password=password)), options)

    async def refresh(
        self,
        *,
        refresh_token: str,
        options: CallOptions | None = None,
    ) -> m.TokenResponse:
        """Exchange a refresh token for a new pair"""
        return await self._http.model(m.TokenResponse, Call("POST", "/v2/auth/refresh", json=given(refresh_token=refresh_token)), options)


class Directory:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list_groups(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.DirectoryGroup]:
        """Groups that the company's directory has sent by SCIM, with the roles that they give"""
        return self._http.page(m.DirectoryGroup, Call("GET", "/v2/directory/groups", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_groups_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.DirectoryGroup]:
        """Every item of `list_groups`, page by page."""
        return self._http.all(m.DirectoryGroup, Call("GET", "/v2/directory/groups", query=given(page=page, limit=limit, cursor=cursor)), options)

    def set_group_roles(
        self,
        id: str,
        *,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]],
        options: CallOptions | None = None,
    ) -> m.DirectoryGroup:
        """Give the members of a group roles"""
        return self._http.model(m.DirectoryGroup, Call("PUT", f"/v2/directory/groups/{_segment(id)}/roles", json=given(roles=roles)), options)


class AsyncDirectory:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list_groups(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.DirectoryGroup]:
        """Groups that the company's directory has sent by SCIM, with the roles that they give"""
        return await self._http.page(m.DirectoryGroup, Call("GET", "/v2/directory/groups", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_groups_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.DirectoryGroup]:
        """Every item of `list_groups`, page by page."""
        return self._http.all(m.DirectoryGroup, Call("GET", "/v2/directory/groups", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def set_group_roles(
        self,
        id: str,
        *,
        roles: builtins.list[Literal["admin", "operator", "analyst", "user", "readonly"]],
        options: CallOptions | None = None,
    ) -> m.DirectoryGroup:
        """Give the members of a group roles"""
        return await self._http.model(m.DirectoryGroup, Call("PUT", f"/v2/directory/groups/{_segment(id)}/roles", json=given(roles=roles)), options)


class OauthClients:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.OauthClient]:
        """Registered clients of the tenant"""
        return self._http.page(m.OauthClient, Call("GET", "/v2/oauth/clients", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.OauthClient]:
        """Every item of `list`, page by page."""
        return self._http.all(m.OauthClient, Call("GET", "/v2/oauth/clients", query=given(page=page, limit=limit, cursor=cursor)), options)

    def create(
        self,
        *,
        name: str,
        type: Literal["public", "confidential"],
        redirect_uris: builtins.list[str] | NotGiven = NOT_GIVEN,
        post_logout_redirect_uris: builtins.list[str] | NotGiven = NOT_GIVEN,
        device_flow: bool | NotGiven = NOT_GIVEN,
        jwks: m.CreateOauthClientRequestJwks | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedOauthClient:
        """Register a client; the secret of a confidential one is shown once"""
        return self._http.model(m.CreatedOauthClient, Call("POST", "/v2/oauth/clients", json=given(name=name, type=type, redirect_uris=redirect_uris, post_logout_redirect_uris=post_logout_redirect_uris, device_flow=device_flow, jwks=jwks)), options)

    def delete(
        self,
        client_id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a client; every token fetched through it dies at once"""
        self._http.none(Call("DELETE", f"/v2/oauth/clients/{_segment(client_id)}"), options)


class AsyncOauthClients:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.OauthClient]:
        """Registered clients of the tenant"""
        return await self._http.page(m.OauthClient, Call("GET", "/v2/oauth/clients", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.OauthClient]:
        """Every item of `list`, page by page."""
        return self._http.all(m.OauthClient, Call("GET", "/v2/oauth/clients", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def create(
        self,
        *,
        name: str,
        type: Literal["public", "confidential"],
        redirect_uris: builtins.list[str] | NotGiven = NOT_GIVEN,
        post_logout_redirect_uris: builtins.list[str] | NotGiven = NOT_GIVEN,
        device_flow: bool | NotGiven = NOT_GIVEN,
        jwks: m.CreateOauthClientRequestJwks | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedOauthClient:
        """Register a client; the secret of a confidential one is shown once"""
        return await self._http.model(m.CreatedOauthClient, Call("POST", "/v2/oauth/clients", json=given(name=name, type=type, redirect_uris=redirect_uris, post_logout_redirect_uris=post_logout_redirect_uris, device_flow=device_flow, jwks=jwks)), options)

    async def delete(
        self,
        client_id: str,
        *,
        options: CallOptions | None = None,
    ) -> None:
        """Delete a client; every token fetched through it dies at once"""
        await self._http.none(Call("DELETE", f"/v2/oauth/clients/{_segment(client_id)}"), options)


class Tenants:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Tenant]:
        """All tenants, for platform administrators"""
        return self._http.page(m.Tenant, Call("GET", "/v2/tenants", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Iterator[m.Tenant]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Tenant, Call("GET", "/v2/tenants", query=given(page=page, limit=limit, cursor=cursor)), options)

    def create(
        self,
        *,
        name: str,
        slug: str,
        tier: Literal["free", "pro", "enterprise"] | NotGiven = NOT_GIVEN,
        settings: dict[str, Any] | NotGiven = NOT_GIVEN,
        admin: m.CreateTenantRequestAdmin | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedTenant:
        """Make a tenant and, if asked, its first admin; for platform administrators"""
        return self._http.model(m.CreatedTenant, Call("POST", "/v2/tenants", json=given(name=name, slug=slug, tier=tier, settings=settings, admin=admin)), options)

    def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Tenant:
        """One's own tenant, or any for platform administrators"""
        return self._http.model(m.Tenant, Call("GET", f"/v2/tenants/{_segment(id)}"), options)

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        slug: str | NotGiven = NOT_GIVEN,
        tier: Literal["free", "pro", "enterprise"] | NotGiven = NOT_GIVEN,
        status: Literal["active", "suspended"] | NotGiven = NOT_GIVEN,
        settings: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Tenant:
        """Change a tenant; tier and status only by platform administrators"""
        return self._http.model(m.Tenant, Call("PATCH", f"/v2/tenants/{_segment(id)}", json=given(name=name, slug=slug, tier=tier, status=status, settings=settings)), options)


class AsyncTenants:
    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[m.Tenant]:
        """All tenants, for platform administrators"""
        return await self._http.page(m.Tenant, Call("GET", "/v2/tenants", query=given(page=page, limit=limit, cursor=cursor)), options)

    def list_all(
        self,
        *,
        page: int | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncIterator[m.Tenant]:
        """Every item of `list`, page by page."""
        return self._http.all(m.Tenant, Call("GET", "/v2/tenants", query=given(page=page, limit=limit, cursor=cursor)), options)

    async def create(
        self,
        *,
        name: str,
        slug: str,
        tier: Literal["free", "pro", "enterprise"] | NotGiven = NOT_GIVEN,
        settings: dict[str, Any] | NotGiven = NOT_GIVEN,
        admin: m.CreateTenantRequestAdmin | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.CreatedTenant:
        """Make a tenant and, if asked, its first admin; for platform administrators"""
        return await self._http.model(m.CreatedTenant, Call("POST", "/v2/tenants", json=given(name=name, slug=slug, tier=tier, settings=settings, admin=admin)), options)

    async def get(
        self,
        id: str,
        *,
        options: CallOptions | None = None,
    ) -> m.Tenant:
        """One's own tenant, or any for platform administrators"""
        return await self._http.model(m.Tenant, Call("GET", f"/v2/tenants/{_segment(id)}"), options)

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        slug: str | NotGiven = NOT_GIVEN,
        tier: Literal["free", "pro", "enterprise"] | NotGiven = NOT_GIVEN,
        status: Literal["active", "suspended"] | NotGiven = NOT_GIVEN,
        settings: dict[str, Any] | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> m.Tenant:
        """Change a tenant; tier and status only by platform administrators"""
        return await self._http.model(m.Tenant, Call("PATCH", f"/v2/tenants/{_segment(id)}", json=given(name=name, slug=slug, tier=tier, status=status, settings=settings)), options)


class AllResources:
    def __init__(self, http: Http) -> None:
        self.users = Users(http)
        self.agents = Agents(http)
        self.chat = Chat(http)
        self.conversations = Conversations(http)
        self.costs = Costs(http)
        self.governance = Governance(http)
        self.knowledge = Knowledge(http)
        self.mcp = Mcp(http)
        self.memory = Memory(http)
        self.models = Models(http)
        self.notifications = Notifications(http)
        self.tasks = Tasks(http)
        self.webhooks = Webhooks(http)
        self.system = System(http)
        self.audit = Audit(http)
        self.auth = Auth(http)
        self.directory = Directory(http)
        self.oauth_clients = OauthClients(http)
        self.tenants = Tenants(http)


class AsyncAllResources:
    def __init__(self, http: AsyncHttp) -> None:
        self.users = AsyncUsers(http)
        self.agents = AsyncAgents(http)
        self.chat = AsyncChat(http)
        self.conversations = AsyncConversations(http)
        self.costs = AsyncCosts(http)
        self.governance = AsyncGovernance(http)
        self.knowledge = AsyncKnowledge(http)
        self.mcp = AsyncMcp(http)
        self.memory = AsyncMemory(http)
        self.models = AsyncModels(http)
        self.notifications = AsyncNotifications(http)
        self.tasks = AsyncTasks(http)
        self.webhooks = AsyncWebhooks(http)
        self.system = AsyncSystem(http)
        self.audit = AsyncAudit(http)
        self.auth = AsyncAuth(http)
        self.directory = AsyncDirectory(http)
        self.oauth_clients = AsyncOauthClients(http)
        self.tenants = AsyncTenants(http)

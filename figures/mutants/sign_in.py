"""Defects in signing in, in credentials, in the guard and in the administration of people."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, edited, mutants_of, together

_SERVER: Final = "remit.server"
_PEOPLE: Final = f"{_SERVER}.people"
_SIGN_IN: Final = f"{_PEOPLE}.sign_in:SignIn"
_ADMINISTRATION: Final = f"{_PEOPLE}.administration:Administration"

MUTANTS: Final[tuple[Mutant, ...]] = mutants_of(
    "sign_in.attacks",
    {
        "a cookie is enough to change something": edited(
            f"{_SERVER}.forgery:check_forgery", "if is_csrf_token(token, secret):", "if True:"
        ),
        "any token that is sent counts": edited(
            f"{_SERVER}.cookies:is_csrf_token", "hmac.compare_digest(", "bool(token) or hmac.compare_digest("
        ),
        "pages of other sites send requests": edited(
            f"{_SERVER}.forgery:_why_foreign", "if site not in", "if False and site not in"
        ),
        "the server answers under every name": edited(
            f"{_SERVER}.guard:Guard._answer", "if not is_named and", "if False and"
        ),
        "scripts of all origins read": edited(
            f"{_SERVER}.guard:_Exchange.__post_init__", "origin in self.settings.origins", "bool(origin)"
        ),
        "everybody says from where they come": edited(
            f"{_SERVER}.binding:Proxies.read_forwarded",
            "not self._networks or client is None or not self._is_proxy(client[0])",
            "client is None",
        ),
        "the place to go next is any": edited(f"{_PEOPLE}.login:own_path", 'path[1:2] not in ("/", "\\\\")', "True"),
        "the place to go next may have a header": edited(f"{_PEOPLE}.login:own_path", "path.isprintable()", "True"),
        "a wrong password is right": edited(
            f"{_PEOPLE}.passwords:Passwords._verify", "self._hasher.verify(", "(lambda *_: None)("
        ),
        "attempts are not counted": edited(f"{_SIGN_IN}._count_attempt", "if wait > 0:", "if False:"),
        "the old session lives on": edited(
            f"{_PEOPLE}.login:LoginPages.enter", "await self.sign_in.end_session(self.cookies.read(request))", "pass"
        ),
        "nothing expires": together(
            edited(f"{_SIGN_IN}._find_by_digest", "found is None or found.expires <= now", "found is None"),
            edited(f"{_SIGN_IN}._holder", "if credential.expires <= now:", "if False:"),
        ),
        "idle sessions go on": edited(
            f"{_SIGN_IN}.find_session", "found.seen + self.lifetimes.idle <= self._clock()", "False"
        ),
        "claims may be about another person": edited(
            f"{_PEOPLE}.provider_client:ProviderClient._ask_for_claims",
            'if found["sub"] != claims["sub"]:',
            "if False:",
        ),
        "an unverified address counts": edited(
            f"{_PEOPLE}.provider_client:ProviderClient._identity_of",
            'if claim == "email" and claims.get("email_verified") is not True:',
            "if False:",
        ),
        "the provider names its issuer": edited(
            f"{_PEOPLE}.provider_client:ProviderClient._read_metadata",
            'if metadata.get("issuer") != self.provider.issuer:',
            "if False:",
        ),
        "the issuer of a token is any": edited(
            f"{_PEOPLE}.provider_client:ProviderClient.finish",
            '{"iss": {"essential": True, "values": [self.provider.issuer]}}',
            "{}",
        ),
        "tokens are signed as the provider likes": edited(
            f"{_PEOPLE}.provider_client:ProviderClient._read_metadata", "if each in _SIGNATURES", ""
        ),
        "addresses with letters that look alike are one": edited(
            f"{_PEOPLE}.provider:Provider.digest", "identity.translate(_LOWER_CASE)", "identity.casefold()"
        ),
        "identifiers differ in more than case": edited(
            f"{_PEOPLE}.provider:Provider.digest", 'if self.claim == "email" else identity', ""
        ),
        "a link is used again": edited(f"{_SIGN_IN}.with_link", "take_credential", "find_credential"),
        "the tenant of a credential is not compared": edited(
            f"{_SIGN_IN}._holder",
            "self.people.find_principal, credential.person, credential.tenant",
            "self.people.find_by_name, credential.person",
        ),
        "a token has all permissions": edited(
            f"{_SIGN_IN}._holder", "holder if credential.permissions is None else", "holder if True else"
        ),
        "a secret is good for everything": edited(
            f"{_PEOPLE}.directory:InMemoryDirectory.find_credential",
            "(each.kind, each.digest) == (kind, digest)",
            "each.digest == digest",
        ),
        "a wrong token leaves the session": edited(
            f"{_PEOPLE}.authentication:Authentication.__call__", "if given:", "if given and not request.cookies:"
        ),
        "a new password ends no session": edited(
            f"{_ADMINISTRATION}.set_password", "await self._end_sessions(name)", "pass"
        ),
        "a removed person keeps their tokens": together(
            edited(f"{_PEOPLE}.directory:InMemoryDirectory.remove_person", "if each.person != name", "if True"),
            edited(
                f"{_PEOPLE}.people:People.find_by_name",
                "None if account is None else self._principal(account)",
                'Principal(name, "bakery", frozenset({"*"})) if account is None else self._principal(account)',
            ),
        ),
        "managers give what they lack": edited(
            f"{_ADMINISTRATION}._require_own", "self._by.missing_permissions(permissions)", "[]"
        ),
        "everyone changes people": edited(
            f"{_ADMINISTRATION}._require_right", "if not self._by.may(PEOPLE_PERMISSION):", "if False:"
        ),
        "API tokens make API tokens": edited(
            f"{_ADMINISTRATION}._require_person_itself", "if self._by.allowed is not None:", "if False:"
        ),
        "people of other tenants are changed": edited(
            f"{_ADMINISTRATION}._require_person",
            "account is None or account.person.tenant != self._by.tenant",
            "account is None",
        ),
        "programs need the token of a page": edited(
            f"{_SERVER}.forgery:check_forgery", 'or "authorization" in request.headers', "or False"
        ),
    },
)

// An OpenID Connect provider, and a browser that people sign in with.

import { createServer, type Server } from "node:http";
import Provider from "oidc-provider";
import { freePort } from "./ports.ts";

/** The claims of a person, in addition to `sub`. */
export type Person = Readonly<Record<string, unknown>>;

/** A provider that signs in the current person without interaction. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Claims by subject. */
  readonly people: Map<string, Person>;
  /** The subject of the person at the browser. */
  person: string;
  close(): Promise<void>;
}

/** The provider's registration of its client. */
export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret: string;
  /** The public address of the client, below which `callback` and `back-channel` are. */
  readonly base: string;
  /** The address that browsers return to after signing out. */
  readonly home: string;
  /** Sends the provider's requests to the client's public address. */
  readonly reach?: (url: URL, init: RequestInit) => Promise<Response>;
}

/** Starts a provider on its own port. */
export async function startIdentityProvider(client: RegisteredClient): Promise<IdentityProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, Person>();
  const { client_id, client_secret, base, home, reach } = client;
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id,
        client_secret,
        redirect_uris: [`${base}/callback`],
        post_logout_redirect_uris: [home],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        backchannel_logout_uri: `${base}/back-channel`,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ["a key of the tests"] },
    claims: {
      openid: ["sub", "groups", "realm_access"],
      email: ["email", "email_verified"],
      profile: ["preferred_username"],
    },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people.get(id) }),
    }),
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
    },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }: { oidc: { session: { accountId: string } } }) {
      const grant = new provider.Grant({ clientId: client_id, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    // The provider's own dispatcher refuses loopback addresses, which all servers of the tests have.
    ...(reach && {
      fetch: (url: string | URL, { method = "GET", headers = {}, body = null }: RequestInit) =>
        reach(new URL(url), { method, headers, body }),
    }),
    ttl: {
      Interaction: 600,
      Grant: 600,
      Session: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
  });
  const serve = provider.callback();
  const state = { person: "" };
  const server: Server = createServer((request, response) => {
    const isAsked = request.url?.startsWith("/interaction/") === true;
    const done = isAsked
      ? provider.interactionFinished(request, response, { login: { accountId: state.person } })
      : serve(request, response);
    done.catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    issuer,
    people,
    get person() {
      return state.person;
    },
    set person(person) {
      state.person = person;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A response and its final URL. */
export interface Visited {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** A browser without scripts: it follows redirects and keeps cookies by origin, name and path. */
export class TestBrowser {
  readonly #cookies = new Map<string, { readonly path: string; readonly value: string }>();
  /** The address of the server behind each public origin. */
  readonly #servers: ReadonlyMap<string, string>;

  constructor(servers: Readonly<Record<string, string>> = {}) {
    this.#servers = new Map(Object.entries(servers));
  }

  /** Requests an address and follows redirects. */
  async visit(address: string, init: RequestInit = {}): Promise<Visited> {
    let url = new URL(address);
    let asked = init;
    for (let step = 0; step < 20; step++) {
      const response = await this.send(url, asked);
      const location = response.headers.get("location");
      const text = await response.text();
      if (location === null) return { url, status: response.status, text };
      url = new URL(location, url);
      asked = {};
    }
    throw new Error("the redirections do not end");
  }

  /** Sends one request with its cookies. */
  async send(url: URL, init: RequestInit = {}): Promise<Response> {
    const server = this.#servers.get(url.origin) ?? url.origin;
    const cookies = this.cookiesFor(url);
    const headers = { ...(cookies.length > 0 && { cookie: cookies.join("; ") }), ...init.headers };
    const response = await fetch(server + url.pathname + url.search, {
      ...init,
      headers,
      redirect: "manual",
    });
    for (const text of response.headers.getSetCookie()) this.#keep(url.origin, text);
    return response;
  }

  /** Returns the cookies to send with a request (RFC 6265, section 5.1.4), as `NAME=VALUE`. */
  cookiesFor({ origin, pathname }: URL): readonly string[] {
    return [...this.#cookies]
      .filter(([key, { path }]) => key.startsWith(`${origin} `) && isBelow(pathname, path))
      .map(([key, { value }]) => `${key.split(" ")[1]}=${value}`);
  }

  /** Returns the value of a stored cookie. */
  cookie(name: string): string | undefined {
    const found = [...this.#cookies].find(([key]) => key.split(" ")[1] === name);
    return found?.[1].value;
  }

  #keep(origin: string, text: string): void {
    const [pair = "", ...attributes] = text.split(/; */);
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? "/";
    const isOver = value === "" || attributes.some((each) => /^max-age=0$/i.test(each));
    const key = `${origin} ${name} ${path}`;
    if (isOver) this.#cookies.delete(key);
    else this.#cookies.set(key, { path, value });
  }
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}

// What `single_sign_on` says, of the portal and of the management service alike.

/** The part of the settings that says who the provider is, and what the server is to it. */
export interface SignOnSettings {
  /** The identifier of the provider, below which its discovery document lies. */
  readonly issuer: string;
  readonly client_id: string;
  /** The origin at which browsers reach the page. It is not taken from requests, whose `Host` may be any. */
  readonly url: string;
  /** What people call the provider; `single sign-on` by default. */
  readonly name?: string;
  /** `openid`, `profile` and `email` by default. */
  readonly scopes?: readonly string[];
  /** The claim of the ID token with the person's groups or roles; `groups` by default. */
  readonly claim?: string;
  /** Milliseconds until a person has to sign in again; eight hours by default. */
  readonly session?: number;
}

const defaultSession = 8 * 60 * 60_000;

/** The same with its defaults. */
export function completeSettings(settings: SignOnSettings): Required<SignOnSettings> {
  return {
    ...settings,
    url: new URL(settings.url).origin,
    name: settings.name ?? "single sign-on",
    scopes: ["openid", ...(settings.scopes ?? ["profile", "email"]).filter((scope) => scope !== "openid")],
    claim: settings.claim ?? "groups",
    session: settings.session ?? defaultSession,
  };
}

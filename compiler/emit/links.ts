// The functions of the runtime that the emitter uses outside components, which have their own links. A test verifies
// that each row is a real export.

import {
  type BroughtName,
  besideOption,
  type ComponentPlan,
  type Encoding,
  type FieldPlan,
  type HandlingName,
  type MakerName,
  type RuntimeLink,
} from "../plan/plan.ts";

type Links = Readonly<Record<string, RuntimeLink>>;

/** Wraps the factory of a stream that reads variables of requests. */
export const perRequestLink: RuntimeLink = {
  module: "runtime/stream/instances/stream-instances.ts",
  symbol: "perRequest",
};

/** Every emitted gateway imports it. */
export const gatewayLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineGateway" };

/** Every module of one API imports it. */
export const apiLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineApi" };

/** Combines the parts of a stream with the resources that they share. */
export const sharingLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "sharing" };

/** Creates resources that use other resources. */
export const dependantsLink: RuntimeLink = {
  module: "runtime/resources/dependants.ts",
  symbol: "withDependants",
};

const tracesModule = "runtime/processors/around/with-traces.ts";

/** Options that functions of their own add around an input or an output, the innermost first. */
const wrappers: Readonly<Record<string, Readonly<Partial<Record<"input" | "output", RuntimeLink>>>>> = {
  extract_tracing_map: { input: { module: tracesModule, symbol: "inputWithExtractedTraces" } },
  new_root_span_with_link: { input: { module: tracesModule, symbol: "inputWithLinkedTraces" } },
  inject_tracing_map: { output: { module: tracesModule, symbol: "outputWithInjectedTraces" } },
  batching: {
    input: { module: "runtime/processors/around/with-batching.ts", symbol: "inputWithBatching" },
    output: { module: "runtime/processors/around/with-batching.ts", symbol: "outputWithBatching" },
  },
  [besideOption]: {
    input: { module: "runtime/processors/around/with-processors.ts", symbol: "inputWithProcessors" },
    output: { module: "runtime/processors/around/with-processors.ts", symbol: "outputWithProcessors" },
  },
};

/** An option that is added around a component, and the function that adds it. */
export interface WrappedOption {
  readonly field: FieldPlan;
  readonly link: RuntimeLink;
}

/** Returns the options that are added around a component, the innermost first. */
export function wrappedOptions(component: ComponentPlan): readonly WrappedOption[] {
  const { fields } = component.options;
  return Object.keys(wrappers).flatMap((option) => {
    const field = fields.find(({ name }) => name === option);
    const link = field && findWrapper(component, option);
    return field && link ? [{ field, link }] : [];
  });
}

/** Returns the function that adds an option around a component; `undefined` for the component's own options. */
function findWrapper({ role, descriptor }: ComponentPlan, option: string): RuntimeLink | undefined {
  if (role !== "input" && role !== "output") return undefined;
  if (descriptor.batchesItself === true && option === "batching") return undefined;
  return Object.hasOwn(wrappers, option) ? wrappers[option]?.[role] : undefined;
}

/** The functions that create the listener if a set configures more than plain HTTP. */
export const listenerLinks = {
  tls: { module: "runtime/http/listener/secure.ts", symbol: "secureListener" },
  proxies: { module: "runtime/http/listener/trusted-proxies.ts", symbol: "trustedProxies" },
} as const satisfies Links;

/** Creates the CORS policy of an API from its `cors` block. */
export const apiCorsLink: RuntimeLink = { module: "runtime/http/cors.ts", symbol: "apiCors" };

/** The functions that find the version of a request, by the place that contains it. */
export const versionLinks = {
  url: { module: "runtime/http/versions/in-path.ts", symbol: "versionsInPath" },
  header: { module: "runtime/http/versions/keyed.ts", symbol: "versionsInHeader" },
  "url-param": { module: "runtime/http/versions/keyed.ts", symbol: "versionsInQuery" },
} as const satisfies Links;

/** Forwards requests to the upstream of an API. */
export const upstreamLink: RuntimeLink = { module: "runtime/proxy/upstream.ts", symbol: "proxyTo" };

/** The functions that convert a block of options before a component receives it. */
export const makerLinks: Readonly<Record<MakerName, RuntimeLink>> = {
  "name-test": { module: "runtime/message/name-filter.ts", symbol: "createNameFilter" },
  "host-test": { module: "runtime/requests/public-addresses.ts", symbol: "hostTest" },
  oauth: { module: "runtime/requests/oauth.ts", symbol: "oauthSignature" },
  "client-credentials": { module: "runtime/requests/client-credentials.ts", symbol: "clientCredentials" },
  "basic-credentials": { module: "runtime/requests/basic-credentials.ts", symbol: "basicCredentials" },
  "signed-token": { module: "runtime/requests/signed-token.ts", symbol: "signedToken" },
  proxy: { module: "runtime/requests/proxy.ts", symbol: "createProxy" },
  cors: { module: "runtime/http/cors.ts", symbol: "corsPolicy" },
  "path-test": { module: "runtime/keys/path-test.ts", symbol: "pathTest" },
  "smtp-mailer": { module: "runtime/portal/mail/smtp-mailer.ts", symbol: "smtpMailer" },
  "client-authority": { module: "runtime/portal/certificates/authority.ts", symbol: "clientAuthority" },
  "portal-accounts": { module: "runtime/portal/accounts/accounts.ts", symbol: "portalAccounts" },
  "portal-sign-on": { module: "runtime/portal/sign-on/portal-sign-on.ts", symbol: "portalSignOn" },
  "msk-token": { module: "runtime/connectors/kafka/msk-token.ts", symbol: "mskToken" },
  "password-test": { module: "runtime/keys/passwords.ts", symbol: "passwordTest" },
};

/** The functions that create texts in which values are encoded by their position. */
export const encodedLinks: Readonly<Record<Encoding, RuntimeLink>> = {
  url: { module: "runtime/requests/url-text.ts", symbol: "urlOf" },
  parameters: { module: "runtime/requests/parameter-text.ts", symbol: "parametersOf" },
};

/** Returns the location where a gateway counts requests. */
export const countersLink: RuntimeLink = {
  module: "runtime/limits/gateway-counters.ts",
  symbol: "gatewayCounters",
};

/** The functions that return the location of leases, by the field of `leases` that names the store. */
export const leaseLinks = {
  redis: { module: "runtime/leases/redis-leases.ts", symbol: "redisLeases" },
  postgres: { module: "runtime/leases/postgres-leases.ts", symbol: "postgresLeases" },
  jetstream: { module: "runtime/leases/jetstream-leases.ts", symbol: "jetStreamLeases" },
} as const satisfies Links;

/** Runs an input on one replica at a time. */
export const leasedInputLink: RuntimeLink = {
  module: "runtime/leases/leased-input.ts",
  symbol: "leasedInput",
};

/** Creates the keys of a gateway from its policies and keys. */
export const configuredKeysLink: RuntimeLink = {
  module: "runtime/keys/configured-keys.ts",
  symbol: "configuredKeys",
};

/** Creates the token endpoints for clients. */
export const oauthServerLink: RuntimeLink = {
  module: "runtime/oauth/stored-clients.ts",
  symbol: "gatewayOauth",
};

/** Replacements for the two links above, and additions, for a gateway with a store. */
export const storeLinks = {
  keys: { module: "runtime/keys/store-keys.ts", symbol: "storeKeys" },
  oauth: { module: "runtime/oauth/stored-clients.ts", symbol: "storedOauthServer" },
  store: { module: "runtime/store/gateway-store.ts", symbol: "gatewayStore" },
  portal: { module: "runtime/portal/portal.ts", symbol: "portal" },
} as const satisfies Links;

/** Functions that certain choices of options pass instead of a word. */
export const broughtLinks: Readonly<Record<BroughtName, RuntimeLink>> = {
  broadcast: { module: "runtime/clients/distribution.ts", symbol: "broadcast" },
  "resumable-broadcast": { module: "runtime/clients/resumable-broadcast.ts", symbol: "resumableBroadcast" },
  "acknowledged-client": { module: "runtime/sockets/acknowledged-client.ts", symbol: "joinAcknowledged" },
  "authorization-endpoint": {
    module: "runtime/oauth/authorization-endpoint.ts",
    symbol: "authorizationEndpoint",
  },
  "device-authorization": {
    module: "runtime/oauth/device-authorization.ts",
    symbol: "deviceAuthorization",
  },
  "key-usage": { module: "runtime/limits/key-usage.ts", symbol: "keyUsage" },
  "portal-page": { module: "runtime/portal/page/page.ts", symbol: "portalPage" },
};

/** Functions that `error_handling` adds. */
export const handlingLinks: Readonly<Record<HandlingName, RuntimeLink>> = {
  "dead-letters": { module: "runtime/stream/dead-letters.ts", symbol: "deadLetters" },
  "failure-samples": { module: "runtime/stream/failure-samples.ts", symbol: "failureSamples" },
  "repeated-delivery": { module: "runtime/stream/repeated-delivery.ts", symbol: "repeatDelivery" },
};

/** Returns all rows except those of components, for the test that verifies them. */
export function allLinks(): readonly RuntimeLink[] {
  return [
    gatewayLink,
    apiLink,
    perRequestLink,
    ...Object.values(wrappers).flatMap((links) => Object.values(links)),
    sharingLink,
    dependantsLink,
    ...Object.values(makerLinks),
    ...Object.values(encodedLinks),
    ...Object.values(broughtLinks),
    ...Object.values(handlingLinks),
    apiCorsLink,
    configuredKeysLink,
    oauthServerLink,
    upstreamLink,
    ...Object.values(versionLinks),
    ...Object.values(listenerLinks),
    ...Object.values(storeLinks),
    ...Object.values(leaseLinks),
    leasedInputLink,
  ];
}

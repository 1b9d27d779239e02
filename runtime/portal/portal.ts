// The portal as a part of a gateway.

import type { GatewayScope } from "../component/gateway-scope.ts";
import type { Counters } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import type { ApiIdentity, Call, ChainStep, StepResult } from "../http/call.ts";
import type { ListenerKind } from "../http/listener.ts";
import type { FindAccepted } from "../keys/accepted-credentials.ts";
import type { Keys } from "../keys/keys.ts";
import { passwordWork } from "../keys/password-work.ts";
import { createLoginAttempts, type LoginLimits } from "../logins/login-attempts.ts";
import { type Environment, EnvironmentError } from "../process/environment.ts";
import { type ListenAddress, parseListenAddress } from "../process/listen-address.ts";
import type { Logger } from "../process/log.ts";
import { readAccess } from "../rest/access.ts";
import { refusal } from "../rest/answers.ts";
import { createRouter, type RestRouter } from "../rest/router.ts";
import type { Store } from "../store/store.ts";
import type { AccountsSource } from "./accounts/accounts.ts";
import { audited, auditOperations } from "./audit.ts";
import type { ClientAuthority } from "./certificates/client-authority.ts";
import type { WebhooksOptions } from "./generated/webhooks-options.ts";
import { configureLanguages, type LanguagesOptions } from "./languages/languages.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { MailerSource } from "./mail/mailing.ts";
import { type PortalOperation, portalPath, servicesFor } from "./operation.ts";
import { appOperations } from "./operations/apps.ts";
import { keyOperations } from "./operations/developer-keys.ts";
import { developerOperations } from "./operations/developers.ts";
import { documentOperations } from "./operations/documents.ts";
import { policyOperations } from "./operations/policies.ts";
import { requestOperations } from "./operations/requests.ts";
import { teamOperations } from "./operations/teams.ts";
import { webhookOperations } from "./operations/webhooks.ts";
import type { KeyUsageSource } from "./page/key-usage.ts";
import type { PortalPage } from "./page/page.ts";
import { keySetReader } from "./requests/key-sets.ts";
import type { PortalSignOn } from "./sign-on/contract.ts";
import { withUpdateMethod } from "./update-method.ts";
import { scopedEvents } from "./webhook-events.ts";
import { configureWebhooks, type WebhookService } from "./webhooks/service.ts";

/** What developers ask for access at. */
export interface Portal {
  /** Serves `/api/portal/…`; passes everything else on. */
  readonly step: ChainStep;
  /** The address of its own listener; without one the listener of the gateway serves it. */
  readonly address?: ListenAddress;
  /** How to listen where the portal is served: as without it, and to what only the portal is asked. */
  readonly listening: (kind: ListenerKind) => ListenerKind;
  /** Called once, before the gateway listens. Rejects with an `EnvironmentError` where the gateway has no store. */
  start(context: PortalContext): Promise<void>;
  /** Stops sending webhooks and e-mails, which stay in the store. */
  close(): Promise<void>;
}

/** What the portal is given when the gateway starts. */
export interface PortalContext {
  readonly log: Logger;
  readonly gateway: GatewayScope;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
  readonly store?: Store;
  /** Whose policies may be asked for, besides those of the store. */
  readonly keys?: Pick<Keys, "policies" | "findKey" | "findUser">;
  /** The APIs that are served now. */
  readonly servedApis?: () => readonly ApiIdentity[];
  /** Where requests are counted, if not in the memory of this process. */
  readonly counters?: Counters | undefined;
  /** Which credentials open an API that is served. */
  readonly acceptedBy?: FindAccepted;
  /** Largest body that the gateway takes, in bytes. */
  readonly maxBodyBytes: number;
}

/** The `portal` block of a gateway. */
export interface PortalOptions {
  /** Organisation of access tokens that name none; `default` by default. */
  readonly organisation?: string;
  /** Where it listens, as `host:port`, if not where the APIs are; `GW_PORTAL_LISTEN` wins. */
  readonly listen?: string;
  /** What sends e-mails to developers; without it none are sent. */
  readonly smtp?: MailerSource;
  /** The `webhooks` block beside it. */
  readonly webhooks?: WebhooksOptions;
  /** Origins at which developers may publish keys beside public addresses of `https`. */
  readonly jwks_origins?: readonly string[];
  /** What signs certificates for developers; without it they bring certificates. */
  readonly client_authority?: ClientAuthority;
  /** What developers can do with accounts of their own at the page. */
  readonly accounts?: AccountsSource;
  /** Reads what is left of the limits of keys, for the page. */
  readonly usage?: KeyUsageSource;
  /** Serves a page for people at `/portal/`; none by default. */
  readonly page?: PortalPage;
  /** Languages of the page and of e-mails. */
  readonly languages?: LanguagesOptions;
  /** People sign in at the page by OpenID Connect; without it by passwords and tokens only. */
  readonly single_sign_on?: PortalSignOn;
}

/** People mistype, and several may share an address. */
const loginLimits: LoginLimits = { period: 15 * 60_000, ofAccount: 10, ofAddress: 100 };

/** Bytes of a body: records are small, and held in memory whole. */
const mostBodyBytes = 1024 * 1024;

/** The portal, for those who have one of the tokens in `GW_PORTAL_ACCESS_TOKENS`. */
export function portal(env: Environment, options: PortalOptions): Portal {
  const { organisation = "default", webhooks = {}, listen = "" } = options;
  const text = env.text("GW_PORTAL_ACCESS_TOKENS");
  // Without a text the environment has noted that, and fails as a whole.
  const access = text === "" ? undefined : readAccess(text, organisation, "GW_PORTAL_ACCESS_TOKENS");
  const configured = configureWebhooks(env, webhooks);
  const address = readAddress(env.text("GW_PORTAL_LISTEN", listen));
  const mail = options.smtp?.configure(env);
  const signOn = options.single_sign_on?.configure(env);
  const languages = configureLanguages(options.languages ?? {});
  let service: WebhookService | undefined;
  let mailer: Mailer | undefined;
  let serve: RestRouter | undefined;
  let showPage: ChainStep | undefined;
  const addresses = new WeakMap<object, string>();
  return {
    ...(address !== undefined && { address }),
    listening: withUpdateMethod,
    step(call) {
      const { path, transport, request } = call;
      const [first, second, ...rest] = path.segments;
      if (first === "portal" && showPage !== undefined) return showPage(call);
      if (first !== "api" || second !== "portal" || rest.length === 0) return "next";
      if (transport.kind !== "http") return new GatewayError(404, "not found");
      if (serve === undefined) return new GatewayError(503, "The portal has not started");
      addresses.set(request, call.remoteAddress);
      return serve(request, transport.response).then(() => "done");
    },
    async start(context) {
      const { log: outer, gateway, store, keys, servedApis = () => [], maxBodyBytes } = context;
      if (access === undefined) throw new EnvironmentError(["GW_PORTAL_ACCESS_TOKENS names no token"]);
      if (store === undefined) throw new EnvironmentError(["the portal has no store to keep records in"]);
      const log = outer.with({ component: "portal" });
      const started = configured.start(store, log);
      service = started;
      mailer = mail?.start({ log, gateway, store, languages, sealing: started.sealing });
      gateway.get(scopedEvents).take = (events, owner = organisation) => started.take(owner, events);
      const counted = { gateway, ...(context.counters !== undefined && { counters: context.counters }) };
      const services = {
        store,
        policies: keys?.policies ?? new Map(),
        servedApis,
        acceptedBy: context.acceptedBy ?? (() => undefined),
        keySets: keySetReader(options.jwks_origins ?? [], context.signal),
        ...(options.client_authority !== undefined && { authority: options.client_authority }),
        passwords: passwordWork(gateway, "portal"),
        logins: createLoginAttempts(loginLimits),
        webhooks: started,
        ...(keys !== undefined && { keys }),
        ...(options.usage !== undefined && { usage: options.usage(counted) }),
        ...(mailer !== undefined && { mailer }),
        ...(options.accounts?.mailInvitation !== undefined && {
          mailInvitation: options.accounts.mailInvitation,
        }),
        languages,
        log,
      };
      const mostBytes = Math.min(maxBodyBytes, mostBodyBytes);
      const page = options.page?.({
        ...{ organisation, services, maxBodyBytes: mostBytes, isApart: address !== undefined },
        ...(options.accounts !== undefined && { accounts: options.accounts }),
      });
      const signedOn = signOn?.start({ organisation, services, signal: context.signal });
      showPage = page && signedOn ? (call) => passOn(signedOn.step(call), call, page) : page;
      serve = createRouter({
        operations: [...operations, ...(options.smtp?.operations ?? [])].map(audited),
        path: portalPath,
        description: {
          title: "Portal",
          description: "Requests for access, and what they hang on. Lists are given a page at a time.",
        },
        async authorise(request) {
          const holder = access.holderOf(request);
          const caller =
            holder === undefined
              ? await signedOn?.administratorOf(request)
              : { organisation: holder.organisation, name: `token ${holder.place}` };
          if (caller === undefined) throw refusal(401, "Not authorised");
          const address = addresses.get(request);
          return { ...caller, ...(address !== undefined && { address }) };
        },
        services,
        servicesFor: servicesFor(services),
        maxBodyBytes: mostBytes,
        maxLargeBodyBytes: maxBodyBytes,
      });
    },
    async close() {
      await Promise.all([service?.close(), mailer?.close()]);
    },
  };
}

/** Has the second step go on where the first one passes. */
async function passOn(first: StepResult | Promise<StepResult>, call: Call, second: ChainStep) {
  const result = await first;
  return result === "next" ? second(call) : result;
}

function readAddress(text: string): ListenAddress | undefined {
  if (text === "") return undefined;
  const address = parseListenAddress(text);
  if (address !== undefined) return address;
  throw new EnvironmentError([`GW_PORTAL_LISTEN is not an address such as 127.0.0.1:8082: ${text}`]);
}

/** Everything the portal can be asked, a file for each resource. */
const operations: readonly PortalOperation[] = [
  ...requestOperations,
  ...developerOperations,
  ...teamOperations,
  ...keyOperations,
  ...documentOperations,
  ...policyOperations,
  ...appOperations,
  ...webhookOperations,
  ...auditOperations,
];

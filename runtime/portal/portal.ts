// The portal, as a component of a gateway.

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
import { withEntityTags } from "../rest/conditional.ts";
import { createRouter, type RestRouter } from "../rest/router.ts";
import type { Store } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";
import type { AccountsSource } from "./accounts/accounts.ts";
import { audited, auditOperations } from "./audit.ts";
import type { ClientAuthority } from "./certificates/client-authority.ts";
import type { WebhooksOptions } from "./generated/webhooks-options.ts";
import { configureLanguages, type LanguagesOptions } from "./languages/languages.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { MailerSource } from "./mail/smtp-mailer.ts";
import { type PortalOperation, type PortalServices, portalPath, servicesFor } from "./operation.ts";
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

/** The portal, where developers request access. */
export interface Portal {
  /** Serves `/api/portal/…`; passes everything else on. */
  readonly step: ChainStep;
  /** The address of the portal's own listener. If absent, the listener of the gateway serves the portal. */
  readonly address?: ListenAddress;
  /** Returns a kind of listener that also accepts the requests that only the portal understands. */
  readonly listening: (kind: ListenerKind) => ListenerKind;
  /** Called once, before the gateway listens. Rejects with an `EnvironmentError` if the gateway has no store. */
  start(context: PortalContext): Promise<void>;
  /** Stops sending webhooks and e-mails. Unsent ones stay in the store. */
  close(): Promise<void>;
}

/** The dependencies of the portal, available when the gateway starts. */
export interface PortalContext {
  readonly log: Logger;
  readonly gateway: GatewayScope;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
  readonly store?: Store;
  /** The keys of the gateway, whose policies may be requested in addition to those in the store. */
  readonly keys?: Pick<Keys, "policies" | "findKey" | "findUser">;
  /** Returns the APIs that the gateway serves now. */
  readonly servedApis?: () => readonly ApiIdentity[];
  /** The counters of requests, if they are not in the memory of this process. */
  readonly counters?: Counters | undefined;
  /** Returns the credentials that a served API accepts. */
  readonly acceptedBy?: FindAccepted;
  /** The largest request body that the gateway accepts, in bytes. */
  readonly maxBodyBytes: number;
}

/** The `portal` block of a gateway. */
export interface PortalOptions {
  /** The organisation of access tokens that do not specify one; `default` by default. */
  readonly organisation?: string;
  /**
   * The portal's own address as `host:port`, if it differs from that of the APIs. `GW_PORTAL_LISTEN` takes precedence.
   */
  readonly listen?: string;
  /** Sends e-mails to developers; without it none are sent. */
  readonly smtp?: MailerSource;
  /** The `webhooks` block next to the `portal` block. */
  readonly webhooks?: WebhooksOptions;
  /** Origins where developers may publish key sets, in addition to public `https` addresses. */
  readonly jwks_origins?: readonly string[];
  /** Signs certificates for developers; without it developers provide their own. */
  readonly client_authority?: ClientAuthority;
  /** The account features for developers on the page. */
  readonly accounts?: AccountsSource;
  /** Reads the remaining limits of keys, for the page. */
  readonly usage?: KeyUsageSource;
  /** Serves a page for people at `/portal/`; none by default. */
  readonly page?: PortalPage;
  /** The languages of the page and of e-mails. */
  readonly languages?: LanguagesOptions;
  /** Lets people sign in with OpenID Connect; without it they can use only passwords and tokens. */
  readonly single_sign_on?: PortalSignOn;
}

/** The limits on logins. People mistype, and several may share an address. */
const loginLimits: LoginLimits = { period: 15 * 60_000, ofAccount: 10, ofAddress: 100 };

/** The maximum size of a request body, in bytes: records are small and kept in memory as a whole. */
const mostBodyBytes = 1024 * 1024;

/** Creates the portal. Its API requires one of the tokens in `GW_PORTAL_ACCESS_TOKENS`. */
export function portal(env: Environment, options: PortalOptions): Portal {
  const { organisation = "default", webhooks = {}, listen = "" } = options;
  const access = readAccess(env, "GW_PORTAL_ACCESS_TOKENS", organisation);
  const configured = configureWebhooks(env, webhooks);
  const address = readAddress(env, listen);
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
        operations: withEntityTags<Tables, PortalServices>([
          ...operations,
          ...(options.smtp?.operations ?? []),
        ]).map(audited),
        path: portalPath,
        description: {
          title: "Portal",
          description: "Access requests and related objects. Lists are paginated.",
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

/** Calls the second step if the first one returned `next`. */
async function passOn(first: StepResult | Promise<StepResult>, call: Call, second: ChainStep) {
  const result = await first;
  return result === "next" ? second(call) : result;
}

function readAddress(env: Environment, written: string): ListenAddress | undefined {
  const text = env.text("GW_PORTAL_LISTEN", written);
  if (text === "") return undefined;
  const address = parseListenAddress(text);
  if (address === undefined)
    env.refuse("GW_PORTAL_LISTEN", `is not an address such as 127.0.0.1:8082: ${text}`);
  return address;
}

/** All operations of the portal's API, from one file per resource. */
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

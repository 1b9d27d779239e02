// Every rule there is, by what it looks at. A new rule is a file in `rules/` and a line here.

import type { ComponentRuleName } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ApiModel } from "../../model/api.ts";
import type { SetModel } from "../../model/set.ts";
import type { SettingsModel } from "../../model/settings.ts";
import type { ComponentNode, StreamNode } from "../../trees/api.ts";
import { checkAccess } from "./rules/access.ts";
import { checkAcknowledgingSockets } from "./rules/acknowledging-sockets.ts";
import { checkAskedCertificates } from "./rules/asked-certificates.ts";
import { checkAuthentication } from "./rules/authentication.ts";
import { checkCallersWait } from "./rules/callers-wait.ts";
import { checkChannels } from "./rules/channels.ts";
import { checkClientIds } from "./rules/client-ids.ts";
import {
  checkBatchingPolicies,
  checkCopiedEndpoints,
  checkDropConditions,
  checkFallingThrough,
} from "./rules/composites.ts";
import { checkComputedHosts } from "./rules/computed-hosts.ts";
import { checkConnectionFields } from "./rules/connection-fields.ts";
import { checkConsumerGroups } from "./rules/consumer-groups.ts";
import { checkCors } from "./rules/cors.ts";
import { checkCredentialCopies } from "./rules/credential-copies.ts";
import { checkCredentialHeaders } from "./rules/credential-headers.ts";
import { checkCredentialsSent } from "./rules/credentials-sent.ts";
import { checkDeadLetterOfSet, checkDeadLetterOfStream } from "./rules/dead-letters.ts";
import { checkDeclaredParameters } from "./rules/declared-parameters.ts";
import { checkDeclaredPaths } from "./rules/declared-paths.ts";
import { checkDeclaredVerbs } from "./rules/declared-verbs.ts";
import { checkDroppedWithoutCache } from "./rules/dropped-without-cache.ts";
import { checkEarlyAcknowledgements } from "./rules/early-acknowledgements.ts";
import { checkEndpoints } from "./rules/endpoints.ts";
import { checkExporters } from "./rules/exporters.ts";
import { checkFanOuts } from "./rules/fan-outs.ts";
import { checkFormats } from "./rules/formats.ts";
import { checkHiddenRoutes } from "./rules/hidden-routes.ts";
import { checkIntervals } from "./rules/intervals.ts";
import { checkJsonSchema } from "./rules/json-schemas.ts";
import { checkKafkaBatches } from "./rules/kafka-batches.ts";
import { checkKafkaLogin } from "./rules/kafka-logins.ts";
import { checkKafkaTopics } from "./rules/kafka-topics.ts";
import { checkKafkaWrites } from "./rules/kafka-writes.ts";
import { checkKeys } from "./rules/keys.ts";
import { checkLabel } from "./rules/labels.ts";
import { checkLimits } from "./rules/limits.ts";
import { checkListenPaths } from "./rules/listen-paths.ts";
import { checkListenerSettings, checkListeners } from "./rules/listeners.ts";
import { checkLiteralSecrets } from "./rules/literal-secrets.ts";
import { checkMessageSchema } from "./rules/message-schemas.ts";
import { checkMetricNames } from "./rules/metric-names.ts";
import { checkNeededFields } from "./rules/needed-fields.ts";
import { checkNeededValues } from "./rules/needed-values.ts";
import { checkNeighbours } from "./rules/neighbours.ts";
import { checkOauth } from "./rules/oauth.ts";
import { checkOverridingHeaders } from "./rules/overriding-headers.ts";
import { checkPaths } from "./rules/paths.ts";
import { checkPings } from "./rules/pings.ts";
import { checkPolls } from "./rules/polls.ts";
import { checkPortal } from "./rules/portal.ts";
import { checkPortalWebhooks } from "./rules/portal-webhooks.ts";
import { checkAllowList, checkProtectionBlock } from "./rules/protection-blocks.ts";
import { checkUnservable } from "./rules/protections.ts";
import { checkQuotas } from "./rules/quotas.ts";
import { checkRegexps } from "./rules/regexps.ts";
import { checkReplicas } from "./rules/replicas.ts";
import { checkRequestValidation } from "./rules/request-validation.ts";
import {
  checkRequestVariables,
  checkRequestVariablesOfSet,
  checkUnreadVariables,
} from "./rules/request-variables.ts";
import { checkRequests } from "./rules/requests.ts";
import { checkRouteCollisions } from "./rules/route-collisions.ts";
import { checkSchemaReferences } from "./rules/schema-references.ts";
import { checkSchemeSettings } from "./rules/scheme-settings.ts";
import { checkSecuritySchemes } from "./rules/security-schemes.ts";
import { checkServedSchemas } from "./rules/served-schemas.ts";
import { checkSession } from "./rules/sessions.ts";
import { checkStandardInput } from "./rules/standard-input.ts";
import { checkStreamNames } from "./rules/stream-names.ts";
import { checkSwitchCases } from "./rules/switch-cases.ts";
import { checkUnsafeComponents } from "./rules/unsafe-components.ts";
import { checkUnsafeNames } from "./rules/unsafe-names.ts";
import { checkUnusedLogins } from "./rules/unused-logins.ts";
import { checkCertificates } from "./rules/unverified-certificates.ts";
import { checkUpstreamAddress } from "./rules/upstream-addresses.ts";
import { checkVersions } from "./rules/versions.ts";
import { checkWeakerVersions } from "./rules/weaker-versions.ts";
import { checkWildcards } from "./rules/wildcards.ts";
import { checkWorkflow } from "./rules/workflows.ts";
import type { SchemedValue } from "./values.ts";

/** Rules about one value, wherever it is configured. */
export const valueRules: readonly ((value: SchemedValue, report: Report) => void)[] = [
  checkAllowList,
  checkCertificates,
  checkCors,
  checkFormats,
  checkLiteralSecrets,
  checkNeededFields,
  checkNeededValues,
  checkNeighbours,
  checkOverridingHeaders,
  checkProtectionBlock,
  checkRegexps,
];

/** A rule about one component, without the ones inside it. */
type ComponentRule = (component: ComponentNode, report: Report) => void;

/** Rules about every component. */
export const componentRules: readonly ComponentRule[] = [
  checkBatchingPolicies,
  checkComputedHosts,
  checkConnectionFields,
  checkLabel,
  checkMessageSchema,
  checkPaths,
  checkPings,
  checkWildcards,
];

/** Rules about the components whose descriptors name them. */
export const namedRules: Readonly<Record<ComponentRuleName, ComponentRule>> = {
  "branch-order": checkWorkflow,
  "copied-endpoints": checkCopiedEndpoints,
  "drop-conditions": checkDropConditions,
  "dropped-without-cache": checkDroppedWithoutCache,
  "early-acknowledgements": checkEarlyAcknowledgements,
  "endpoint-fields": checkEndpoints,
  "fan-out-to-clients": checkFanOuts,
  "falling-through": checkFallingThrough,
  "json-schema": checkJsonSchema,
  "kafka-batches": checkKafkaBatches,
  "kafka-logins": checkKafkaLogin,
  "kafka-topics": checkKafkaTopics,
  "kafka-writes": checkKafkaWrites,
  "mqtt-sessions": checkSession,
  "one-authorization": checkRequests,
  "poll-intervals": checkPolls,
  schedules: checkIntervals,
  "switch-cases": checkSwitchCases,
  "unused-logins": checkUnusedLogins,
};

/** Rules about the parts of one stream together. */
export const streamRules: readonly ((stream: StreamNode, api: ApiModel, report: Report) => void)[] = [
  checkCallersWait,
  checkAcknowledgingSockets,
  checkConsumerGroups,
  checkCredentialCopies,
  checkCredentialHeaders,
  checkCredentialsSent,
  checkDeadLetterOfStream,
  checkRequestVariables,
  checkUnreadVariables,
];

/** Rules about one document. */
export const apiRules: readonly ((api: ApiModel, report: Report) => void)[] = [
  checkUnservable,
  checkLimits,
  checkAuthentication,
  checkRequestValidation,
  checkSchemeSettings,
  checkSchemaReferences,
  checkSecuritySchemes,
  checkServedSchemas,
  checkStreamNames,
  checkUpstreamAddress,
];

/** Rules about the settings of a set. */
export const settingsRules: readonly ((settings: SettingsModel, report: Report) => void)[] = [
  checkDeadLetterOfSet,
  checkExporters,
  checkListenerSettings,
  checkListeners,
];

/** Rules about how the documents of a set go together. */
export const setRules: readonly ((set: SetModel, report: Report) => void)[] = [
  checkAccess,
  checkAskedCertificates,
  checkChannels,
  checkClientIds,
  checkDeclaredPaths,
  checkDeclaredVerbs,
  checkDeclaredParameters,
  checkHiddenRoutes,
  checkKeys,
  checkListenPaths,
  checkMetricNames,
  checkOauth,
  checkPortal,
  checkPortalWebhooks,
  checkQuotas,
  checkReplicas,
  checkRequestVariablesOfSet,
  checkRouteCollisions,
  checkStandardInput,
  checkUnsafeComponents,
  checkUnsafeNames,
  checkVersions,
  checkWeakerVersions,
];

// All rules, by the kind of thing they check. To add a rule, write a function in the file of its subject in `rules/`
// and list it here.

import type { ComponentRuleName } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ApiModel } from "../../model/api.ts";
import type { SetModel } from "../../model/set.ts";
import type { SettingsModel } from "../../model/settings.ts";
import type { ComponentNode, StreamNode } from "../../trees/api.ts";
import { checkAccess } from "./rules/access.ts";
import {
  checkAuthentication,
  checkCredentialsOfPages,
  checkOauth,
  checkScopes,
  checkSecuritySchemes,
} from "./rules/authentication.ts";
import { checkCertificates, checkRequestedCertificates } from "./rules/certificates.ts";
import {
  checkBatchingPolicies,
  checkContinuedCase,
  checkCopiedEndpoints,
  checkDeadLetterOfSet,
  checkDeadLetterOfStream,
  checkDropConditions,
  checkDroppedWithoutCache,
  checkKeyOfMessages,
  checkSwitchCases,
  checkWorkflow,
} from "./rules/composites.ts";
import {
  checkConnectionFields,
  checkDatabase,
  checkRequests,
  checkUnusedLogins,
} from "./rules/connection-fields.ts";
import {
  checkDeclaredEvents,
  checkDeclaredParameters,
  checkDeclaredPaths,
  checkDeclaredStatuses,
  checkDeclaredVerbs,
  checkMethodsOfPages,
  checkOperationIds,
  checkRepeatedParameters,
  checkTags,
} from "./rules/declared-operations.ts";
import {
  checkAcknowledgingSockets,
  checkAnswers,
  checkCallersWait,
  checkEarlyAcknowledgements,
  checkEndpoints,
  checkFanOuts,
} from "./rules/endpoints.ts";
import { checkExamples } from "./rules/examples.ts";
import {
  checkColumns,
  checkKeptValue,
  checkNeededFields,
  checkNeighbours,
  checkSql,
  checkStatement,
} from "./rules/fields.ts";
import {
  checkContact,
  checkCors,
  checkFormats,
  checkNeededValues,
  checkOverridingHeaders,
  checkPlaceholders,
  checkRegexps,
} from "./rules/formats.ts";
import { checkComputedHosts, checkUpstreamAddress } from "./rules/hosts.ts";
import { checkIntervals, checkPings, checkPolls, checkRateLimit } from "./rules/intervals.ts";
import { checkKafkaBatches, checkKafkaLogin, checkKafkaTopics, checkKafkaWrites } from "./rules/kafka.ts";
import { checkKeys } from "./rules/keys.ts";
import { checkLimits, checkQuotas } from "./rules/limits.ts";
import { checkCallbacks, checkLinks } from "./rules/links.ts";
import {
  checkAddresses,
  checkHiddenRoutes,
  checkListenPaths,
  checkPaths,
  checkPathTemplates,
  checkRouteCollisions,
  checkServers,
} from "./rules/listen-paths.ts";
import {
  checkExporters,
  checkListenerSettings,
  checkListeners,
  checkStreamingSwitch,
} from "./rules/listeners.ts";
import { checkLiteralSecrets } from "./rules/literal-secrets.ts";
import { checkContentTypes, checkHeaders, checkNatsHeaders } from "./rules/media-types.ts";
import {
  checkDeadLetterLoops,
  checkNearlyWritten,
  checkNearStreams,
  checkSharedGroups,
  checkWriteLoops,
} from "./rules/message-loops.ts";
import { checkJsonSchema, checkMessageSchema } from "./rules/message-schemas.ts";
import {
  checkChannels,
  checkLabel,
  checkLabels,
  checkMetadataNames,
  checkMetadataOwners,
  checkMetricNames,
  checkStatusOfReplies,
  checkStreamNames,
} from "./rules/names.ts";
import { checkOpenedApis } from "./rules/opened-apis.ts";
import { checkPortal, checkPortalSignOn, checkPortalWebhooks } from "./rules/portal.ts";
import { checkAllowList, checkProtectionBlock, checkUnservable } from "./rules/protection-blocks.ts";
import { checkClientsOfReplicas } from "./rules/replica-clients.ts";
import { checkClientIds, checkConsumerGroups, checkReplicas, checkStandardInput } from "./rules/replicas.ts";
import { checkRequestValidation } from "./rules/request-validation.ts";
import {
  checkRequestVariables,
  checkRequestVariablesOfSet,
  checkUnreadVariables,
} from "./rules/request-variables.ts";
import { checkSchemaReferences, checkServedSchemas } from "./rules/schema-references.ts";
import { checkSchemeSettings } from "./rules/scheme-settings.ts";
import {
  checkCredentialCopies,
  checkCredentialHeaders,
  checkCredentialsSent,
} from "./rules/sent-credentials.ts";
import { checkSession, checkWildcards } from "./rules/subscriptions.ts";
import { checkUnsafeComponents, checkUnsafeNames } from "./rules/unsafe.ts";
import { checkVersions, checkWeakerVersions } from "./rules/versions.ts";
import type { SchemedValue } from "./values.ts";

/** Rules about one value, in any component or block. */
export const valueRules: readonly ((value: SchemedValue, report: Report) => void)[] = [
  checkAllowList,
  checkCertificates,
  checkCors,
  checkFormats,
  checkHeaders,
  checkLiteralSecrets,
  checkNeededFields,
  checkNeededValues,
  checkNeighbours,
  checkOverridingHeaders,
  checkPlaceholders,
  checkProtectionBlock,
  checkRegexps,
];

/** A rule about one component, without the components inside it. */
type ComponentRule = (component: ComponentNode, report: Report) => void;

/** Rules about every component. */
export const componentRules: readonly ComponentRule[] = [
  checkBatchingPolicies,
  checkColumns,
  checkComputedHosts,
  checkConnectionFields,
  checkDatabase,
  checkLabel,
  checkMessageSchema,
  checkPaths,
  checkPings,
  checkRateLimit,
  checkSql,
  checkStatement,
  checkWildcards,
];

/** Rules about the components whose descriptors name them. */
export const namedRules: Readonly<Record<ComponentRuleName, ComponentRule>> = {
  "branch-order": checkWorkflow,
  "continued-case": checkContinuedCase,
  "copied-endpoints": checkCopiedEndpoints,
  "drop-conditions": checkDropConditions,
  "dropped-without-cache": checkDroppedWithoutCache,
  "early-acknowledgements": checkEarlyAcknowledgements,
  "endpoint-fields": checkEndpoints,
  "fan-out-to-clients": checkFanOuts,
  "json-schema": checkJsonSchema,
  "key-of-messages": checkKeyOfMessages,
  "kafka-batches": checkKafkaBatches,
  "kafka-logins": checkKafkaLogin,
  "kafka-topics": checkKafkaTopics,
  "kafka-writes": checkKafkaWrites,
  "kept-value": checkKeptValue,
  "mqtt-sessions": checkSession,
  "nats-headers": checkNatsHeaders,
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
  checkAnswers,
  checkConsumerGroups,
  checkCredentialCopies,
  checkCredentialHeaders,
  checkCredentialsSent,
  checkDeadLetterOfStream,
  checkMetadataNames,
  checkMetadataOwners,
  checkStatusOfReplies,
  checkRequestVariables,
  checkUnreadVariables,
  checkWriteLoops,
];

/** Rules about one document. */
export const apiRules: readonly ((api: ApiModel, report: Report) => void)[] = [
  checkUnservable,
  checkLimits,
  checkAuthentication,
  checkContact,
  checkCredentialsOfPages,
  checkContentTypes,
  checkOperationIds,
  checkRepeatedParameters,
  checkPathTemplates,
  checkLabels,
  checkCallbacks,
  checkExamples,
  checkLinks,
  checkMethodsOfPages,
  checkRequestValidation,
  checkSchemeSettings,
  checkSchemaReferences,
  checkScopes,
  checkSecuritySchemes,
  checkServedSchemas,
  checkAddresses,
  checkServers,
  checkStreamNames,
  checkTags,
  checkUpstreamAddress,
];

/** Rules about the settings of a set. */
export const settingsRules: readonly ((settings: SettingsModel, report: Report) => void)[] = [
  checkDeadLetterOfSet,
  checkExporters,
  checkListenerSettings,
  checkListeners,
];

/** Rules about how the documents of a set fit together. */
export const setRules: readonly ((set: SetModel, report: Report) => void)[] = [
  checkAccess,
  checkRequestedCertificates,
  checkChannels,
  checkDeadLetterLoops,
  checkClientIds,
  checkDeclaredEvents,
  checkDeclaredPaths,
  checkDeclaredStatuses,
  checkDeclaredVerbs,
  checkDeclaredParameters,
  checkHiddenRoutes,
  checkKeys,
  checkOpenedApis,
  checkListenPaths,
  checkMetricNames,
  checkNearlyWritten,
  checkNearStreams,
  checkOauth,
  checkPortal,
  checkPortalWebhooks,
  checkPortalSignOn,
  checkQuotas,
  checkReplicas,
  checkClientsOfReplicas,
  checkRequestVariablesOfSet,
  checkRouteCollisions,
  checkSharedGroups,
  checkStandardInput,
  checkStreamingSwitch,
  checkUnsafeComponents,
  checkUnsafeNames,
  checkVersions,
  checkWeakerVersions,
];

// Document meaning: components, fields, names, routes.

import { accessEntries } from "./4-access.ts";
import { amqpEntries } from "./4-amqp.ts";
import { analyticsEntries } from "./4-analytics.ts";
import { componentEntries } from "./4-components.ts";
import { compositeEntries } from "./4-composites.ts";
import { fieldEntries } from "./4-fields.ts";
import { kafkaEntries } from "./4-kafka.ts";
import { limitEntries } from "./4-limits.ts";
import { listenerEntries } from "./4-listener.ts";
import { neighbourEntries } from "./4-neighbours.ts";
import { packageEntries } from "./4-packages.ts";
import { portalEntries } from "./4-portal.ts";
import { processorEntries } from "./4-processors.ts";
import { requestVariableEntries } from "./4-request-variables.ts";
import { requestEntries } from "./4-requests.ts";
import { resourceEntries } from "./4-resources.ts";
import { ruleEntries } from "./4-rules.ts";
import { sessionEntries } from "./4-sessions.ts";
import { streamEntries } from "./4-streams.ts";
import { suppressionEntries } from "./4-suppressions.ts";
import { tenantEntries } from "./4-tenants.ts";
import { tokenEntries } from "./4-tokens.ts";
import { validationEntries } from "./4-validation.ts";
import { valueEntries } from "./4-values.ts";

export const meaningEntries = {
  ...accessEntries,
  ...packageEntries,
  ...portalEntries,
  ...tenantEntries,
  ...tokenEntries,
  ...amqpEntries,
  ...analyticsEntries,
  ...componentEntries,
  ...compositeEntries,
  ...fieldEntries,
  ...requestEntries,
  ...requestVariableEntries,
  ...processorEntries,
  ...resourceEntries,
  ...kafkaEntries,
  ...limitEntries,
  ...listenerEntries,
  ...neighbourEntries,
  ...ruleEntries,
  ...sessionEntries,
  ...streamEntries,
  ...suppressionEntries,
  ...validationEntries,
  ...valueEntries,
};

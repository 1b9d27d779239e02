// Document meaning: components, fields, names, routes.

import { accessEntries, tokenEntries } from "./4-access.ts";
import { amqpEntries, kafkaEntries, sessionEntries } from "./4-brokers.ts";
import { componentEntries } from "./4-components.ts";
import { fieldEntries, neighbourEntries } from "./4-fields.ts";
import { packageEntries } from "./4-packages.ts";
import { portalEntries } from "./4-portal.ts";
import { compositeEntries, processorEntries } from "./4-processors.ts";
import { requestVariableEntries } from "./4-request-variables.ts";
import {
  analyticsEntries,
  limitEntries,
  listenerEntries,
  requestEntries,
  validationEntries,
} from "./4-requests.ts";
import { resourceEntries } from "./4-resources.ts";
import { ruleEntries } from "./4-rules.ts";
import { streamEntries } from "./4-streams.ts";
import { suppressionEntries } from "./4-suppressions.ts";
import { tenantEntries } from "./4-tenants.ts";
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

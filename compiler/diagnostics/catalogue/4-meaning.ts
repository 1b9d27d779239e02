// Document meaning: components, fields, names, routes.

import { accessEntries, portalEntries, tenantEntries, tokenEntries } from "./4-access.ts";
import { componentEntries, resourceEntries } from "./4-components.ts";
import { fieldEntries, neighbourEntries } from "./4-fields.ts";
import { packageEntries } from "./4-packages.ts";
import {
  analyticsEntries,
  limitEntries,
  listenerEntries,
  requestEntries,
  requestVariableEntries,
  validationEntries,
} from "./4-requests.ts";
import { amqpEntries, kafkaEntries, ruleEntries, sessionEntries } from "./4-rules.ts";
import { streamEntries } from "./4-streams.ts";
import { suppressionEntries } from "./4-suppressions.ts";
import { compositeEntries, processorEntries, valueEntries } from "./4-values.ts";

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

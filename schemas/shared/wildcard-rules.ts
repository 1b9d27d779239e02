import type { OptionProblem, OptionRule } from "../component.ts";

/** A wildcard of another broker, and the advice to give. */
interface ForeignWildcard {
  readonly pattern: RegExp;
  readonly message: string;
  readonly hint: string;
}

/** In MQTT topics: `*` and `>` are wildcards of NATS. */
const inTopics: ForeignWildcard = {
  pattern: /(?:^|[/,])\s*[*>](?=\s*(?:[/,]|$))/,
  message: "`*` and `>` are not wildcards of MQTT, so that this matches only topics with that character.",
  hint: "Write `+` for one level, or `#` for all levels that follow.",
};

/** In NATS subjects: `#` is a wildcard of MQTT and AMQP, and `+` of MQTT. */
const inSubjects: ForeignWildcard = {
  pattern: /(?:^|[./])[#+](?=[./]|$)/,
  message: "`#` and `+` are not wildcards of NATS, so that this matches only subjects with that character.",
  hint: "Write `*` for one token, or `>` for all tokens that follow. Dots separate tokens.",
};

function advice(field: string, { pattern, message, hint }: ForeignWildcard): OptionRule {
  return (options): readonly OptionProblem[] =>
    options.texts(field).some((text) => text !== undefined && pattern.test(text))
      ? [{ field, message, hint, severity: "warning" }]
      : [];
}

/** Checks the topics that an MQTT client subscribes to. */
export const topicWildcards: OptionRule = advice("topics", inTopics);

/** Checks the subject that a NATS client subscribes to. */
export const subjectWildcards: OptionRule = advice("subject", inSubjects);

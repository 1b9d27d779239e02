// What the components of one stream take and give, as messages of the document.

import type { CheckedSet } from "../check/checked-set.ts";
import type { ApiModel } from "../model/api.ts";
import { planDeclared, planMessageSteps } from "../plan/message-steps.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import type { Json } from "../trees/document.ts";
import type { AsyncApiReference } from "./document.ts";
import type { Messages } from "./messages.ts";

/** A message by its key in `components.messages`. */
export interface StreamMessage {
  readonly key: string;
  readonly reference: AsyncApiReference;
}

/** The message of an input or output, with bindings of its own where some are given; each is added to `messages` when first asked for. */
export function createStreamMessages(
  stream: StreamNode,
  api: ApiModel,
  checked: CheckedSet,
  messages: Messages,
): (component: ComponentNode, bindings?: Json) => StreamMessage {
  const declared = checked.declared(stream);
  const steps = planMessageSteps({ api, steps: checked.namedSteps(stream), declared });
  const ends: readonly (ComponentNode | undefined)[] = [stream.input, stream.output, stream.deadLetter];
  const added = new Map<unknown, Map<unknown, StreamMessage>>();
  return (component, bindings) => {
    const name =
      component === stream.deadLetter ? "dead letter" : component.role === "input" ? "input" : "output";
    const own = planDeclared(component, declared, api);
    // Of dead letters nothing is known: any step may have failed.
    const schema = own?.schema ?? steps.find((step) => step.name === name)?.schema ?? true;
    // What a part of an input or output declares is a message beside those of the whole.
    const identity = own === undefined || ends.includes(component) ? name : component;
    const same = added.get(identity) ?? new Map<unknown, StreamMessage>();
    added.set(identity, same);
    // As server-sent events they are messages of their own, as their bindings differ.
    const title = `${stream.name} ${bindings === undefined ? titles[name] : "streamed"}`;
    const message = same.get(title) ?? messages.add(title, schema, bindings);
    same.set(title, message);
    return message;
  };
}

const titles = { input: "taken", output: "given", "dead letter": "refused" } as const;

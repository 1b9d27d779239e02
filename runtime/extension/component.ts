// The part of the runtime that components of other packages may use: `sluice/component` inside a gateway. Only these
// exports are a contract with such packages, and only this file contains the locations of the parts.

export type {
  ComponentContext,
  Delivered,
  Demand,
  Input,
  InputContext,
  Output,
  Processor,
  Resource,
} from "../component/component.ts";
export type { Endpoint, HttpEndpoint, HttpExchange } from "../component/endpoint.ts";
export { createRedelivery, type Redelivery } from "../component/redelivery.ts";
export type { Cache, Eventually, RateLimit, SyncCache } from "../component/resource.ts";
export { joinText, type Text, textOf } from "../component/text.ts";
export { type BackoffOptions, createBackoff, pause } from "../concurrency/backoff.ts";
export { type Blockage, type SourceOf, sourceFrom } from "../conditions/blockage.ts";
export type { BeginOutage, EndCondition } from "../conditions/conditions.ts";
export { GatewayError, type GatewayErrorOptions, MappingError, toGatewayError } from "../errors.ts";
export {
  arrayTarget,
  boolArgument,
  floatArgument,
  floatTarget,
  integerArgument,
  objectTarget,
  textArgument,
  textTarget,
} from "../mapping/arguments.ts";
export { type Batch, Message, type Metadata } from "../message/message.ts";
export type { ObjectValue, Value } from "../message/value.ts";
export type { Probe, Probing } from "../probe/probe.ts";
export type { Logger } from "../process/log.ts";

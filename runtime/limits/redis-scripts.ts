// The Redis scripts for the counters of several gateways; each script is atomic.

import { createHash } from "node:crypto";

/** A script with the hash by which Redis finds it. */
export interface RedisScript {
  readonly text: string;
  readonly sha: string;
}

function script(text: string): RedisScript {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/**
 * The time: the given microseconds, or the clock of Redis, so that gateways with different clocks count consistently.
 */
const time = `
local now = tonumber(ARGV[1])
if now < 0 then
  local clock = redis.call("TIME")
  now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
end`;

/**
 * Like \`take\` of the counters in memory, for the claims of KEYS. ARGV contains the time, and for each claim either
 * "rate" with requests and microseconds, or "quota" with requests and microseconds. A counter is a text of its level
 * and its time; it expires when it no longer limits anything. Returns the index of the claim that refuses or -1, the
 * wait, and for each claim what is left and the microseconds until all is available again; -1 means infinite.
 */
export const takeScript: RedisScript = /* @__PURE__ */ script(`${time}
local levels, times, refused, wait = {}, {}, -1, 0
local function capacity(rate, per) return per * math.max(1, rate) end
for i, key in ipairs(KEYS) do
  local kind, a, b = ARGV[3 * i - 1], tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  local stored = redis.call("GET", key)
  local level, at = 0, now
  if stored then
    local one, two = string.match(stored, "^(%S+) (%S+)$")
    level, at = tonumber(one) or 0, tonumber(two) or now
  end
  local excess = 0
  if kind == "rate" then
    level = math.max(0, level - math.max(0, now - at) * a)
    at = now
    excess = math.max(0, math.ceil((level + b - capacity(a, b)) / a))
  else
    if at >= 0 and at <= now then level = 0 end
    if level >= a then excess = (level > 0 and at >= 0) and (at - now) or -1 end
  end
  levels[i], times[i] = level, at
  if excess ~= 0 and refused == -1 then refused, wait = i - 1, excess end
end
local answer = { refused, string.format("%.0f", wait) }
for i, key in ipairs(KEYS) do
  local kind, a, b = ARGV[3 * i - 1], tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  local level, at, left, reset = levels[i], times[i]
  if refused == -1 then
    if kind == "rate" then
      level = level + b
    else
      if level == 0 then at = b == 0 and -1 or now + b end
      level = level + 1
    end
  end
  if kind == "rate" then
    left, reset = math.floor((capacity(a, b) - level) / b), math.ceil(level / a)
  else
    left, reset = math.max(0, a - level), level == 0 and 0 or (at < 0 and -1 or at - now)
  end
  if refused == -1 then
    local value = string.format("%.17g %.0f", level, at)
    if reset < 0 then redis.call("SET", key, value)
    else redis.call("SET", key, value, "PX", math.ceil(reset / 1000) + 1) end
  end
  answer[2 * i + 1], answer[2 * i + 2] = string.format("%.0f", left), string.format("%.0f", reset)
end
return answer`);

/**
 * Takes a place for the connection ARGV[2] in each set of KEYS for ARGV[3] microseconds, unless it is renewed;
 * ARGV[4] and the following are the limits of the sets. Returns the index of the first set that is full, or -1.
 */
export const enterScript: RedisScript = /* @__PURE__ */ script(`${time}
for i, key in ipairs(KEYS) do
  redis.call("ZREMRANGEBYSCORE", key, "-inf", string.format("%.0f", now))
  if redis.call("ZCARD", key) >= tonumber(ARGV[3 + i]) then return i - 1 end
end
local lease = tonumber(ARGV[3])
for i, key in ipairs(KEYS) do
  redis.call("ZADD", key, string.format("%.0f", now + lease), ARGV[2])
  redis.call("PEXPIRE", key, math.ceil(lease / 1000))
end
return -1`);

/** Renews the places of connections for ARGV[2] microseconds from now: KEYS[i] holds ARGV[2 + i]. */
export const renewScript: RedisScript = /* @__PURE__ */ script(`${time}
local lease = tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  redis.call("ZADD", key, string.format("%.0f", now + lease), ARGV[2 + i])
  redis.call("PEXPIRE", key, math.ceil(lease / 1000))
end
return 0`);

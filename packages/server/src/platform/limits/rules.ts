/** Rate limits per IP address, key, device or account (client protocol §17). */

type Rule = { readonly perMinute: number; readonly burst: number }

export const RULES = {
  // This is enough for a school or a carrier's NAT.
  loader: { perMinute: 300, burst: 120 },
  execAddress: { perMinute: 20, burst: 20 },
  // Encrypting a "too many requests" response costs two curve operations, so a flood gets a plaintext
  // response instead.
  execFlood: { perMinute: 300, burst: 120 },
  execKey: { perMinute: 10, burst: 10 },
  execDevice: { perMinute: 20, burst: 20 },
  // This is enough for a few hundred clients behind one IP address.
  beatAddress: { perMinute: 1200, burst: 200 },
  // Limit per instance. The client requests each function's key once, on the first call.
  leases: { perMinute: 60, burst: 20 },
  // `messageBeats` and `runMessages` are limits per instance. `scriptMessages` is the limit for all runs of a
  // script.
  messageBeats: { perMinute: 60, burst: 20 },
  // Per instance: heartbeats that call server functions. The calls themselves are also counted.
  askBeats: { perMinute: 90, burst: 30 },
  runMessages: { perMinute: 30, burst: 30 },
  scriptMessages: { perMinute: 300, burst: 300 },
  // Per instance: heartbeats and frames with error reports.
  errorBeats: { perMinute: 10, burst: 10 },
  // Per network: reports about the functions of executors. This is enough for a day's use of many executors
  // in one household.
  probes: { perMinute: 40 / 1440, burst: 40 },
  // Per instance: calls to server functions.
  asks: { perMinute: 60, burst: 20 },
  // Calls that exceeded their time or memory limit: per function, per account for test calls, and per
  // account. `stoppedByCustomer` and `stoppedAllByCustomer` apply to a single customer of a script.
  stoppedByCustomer: { perMinute: 1, burst: 1 },
  stoppedAllByCustomer: { perMinute: 3, burst: 3 },
  stoppedFunction: { perMinute: 1, burst: 1 },
  stoppedTrials: { perMinute: 1, burst: 1 },
  stoppedAccount: { perMinute: 5, burst: 5 },
  connectAddress: { perMinute: 60, burst: 60 },
  connectInstance: { perMinute: 10, burst: 10 },
  ownPageAddress: { perMinute: 60, burst: 60 },
  ownPageKey: { perMinute: 30, burst: 30 },
  ownReset: { perMinute: 5 / 60, burst: 5 },
  adPageAddress: { perMinute: 240, burst: 120 },
  // The limit is per provider, because a provider sends the postbacks of all visitors from its own servers.
  adPostbackAddress: { perMinute: 3000, burst: 1000 },
  // Discord sends the interactions of all bots from its own servers.
  chatAddress: { perMinute: 12_000, burst: 3000 },
  // Per user and project: commands and buttons of a Discord bot.
  chatPerson: { perMinute: 30, burst: 15 },
  // Limit per account. A trace searches all served copies of a script.
  trace: { perMinute: 6, burst: 6 },
  // Limit per account. A smoke test may occupy a process for 30 seconds, and a failed one doesn't count as an
  // obfuscation.
  proof: { perMinute: 6, burst: 6 },
  // Per account, 20 a day: builds that exceed the time or memory limit, which don't count as obfuscations.
  exhaustedBuild: { perMinute: 20 / 1440, burst: 20 },
  // Per webhook endpoint: tests and redeliveries, which go to a host chosen by the account.
  webhookTest: { perMinute: 6, burst: 6 },
  // All requests that a browser can make without signing in.
  authAddress: { perMinute: 60, burst: 60 },
  // Wrong passwords: 5 in 15 minutes per email address and network prefix, and 100 a day per prefix.
  passwordEmail: { perMinute: 5 / 15, burst: 5 },
  passwordPrefix: { perMinute: 100 / 1440, burst: 100 },
  // Wrong passwords for an email address, from anywhere. Beyond this limit, the owner of the address is
  // warned, at most once a day.
  passwordGuesses: { perMinute: 20 / 1440, burst: 20 },
  passwordWarning: { perMinute: 1 / 1440, burst: 1 },
  // Wrong passwords from a browser that the user has signed in from before. Other browsers' attempts aren't
  // counted.
  passwordBrowser: { perMinute: 10 / 15, burst: 10 },
  // Emailed links, per email address and kind. Otherwise, strangers could use up the owner's reset links by
  // signing up with the address.
  mailedLink: { perMinute: 3 / 60, burst: 3 },
  // Test messages that operators send, for the entire server.
  mailTest: { perMinute: 1, burst: 5 },
  // 2FA codes: 5 in 15 minutes per user and network prefix, and 100 a day from anywhere.
  codePrefix: { perMinute: 5 / 15, burst: 5 },
  codePerson: { perMinute: 100 / 1440, burst: 100 },
  // Wrong codes from a browser that the user has signed in from before. Other browsers' attempts aren't
  // counted.
  codeBrowser: { perMinute: 10 / 15, burst: 10 },
} as const satisfies Record<string, Rule>
export type Limit = keyof typeof RULES

/**
 * These limits are counted per process. They only keep floods cheap, and a Valkey round trip would cost more
 * than the request.
 */
export const LOCAL_LIMITS: ReadonlySet<Limit> = new Set([
  'execFlood',
  'beatAddress',
  'leases',
  'messageBeats',
  'askBeats',
  'errorBeats',
  'runMessages',
  'asks',
  'stoppedByCustomer',
  'stoppedAllByCustomer',
  'stoppedFunction',
  'stoppedTrials',
  'stoppedAccount',
  'connectAddress',
  'adPageAddress',
  'adPostbackAddress',
  'chatAddress',
])

/** How often one address, key, device or customer may try what (client protocol §17). */

type Rule = { readonly perMinute: number; readonly burst: number }

export const RULES = {
  // Enough for a school or a carrier's NAT.
  loader: { perMinute: 300, burst: 120 },
  execAddress: { perMinute: 20, burst: 20 },
  // Sealing a polite "too many" costs two curve operations, so a flood gets the plain answer instead.
  execFlood: { perMinute: 300, burst: 120 },
  execKey: { perMinute: 10, burst: 10 },
  execDevice: { perMinute: 20, burst: 20 },
  // Enough for some hundred clients behind one address.
  beatAddress: { perMinute: 1200, burst: 200 },
  // Per instance: it asks once for each function that it calls for the first time.
  leases: { perMinute: 60, burst: 20 },
  // Per instance: beats that carry messages of a script, and the messages themselves; and those of all runs of a script.
  messageBeats: { perMinute: 60, burst: 20 },
  // Per instance: beats that ask server functions; what they ask is counted besides.
  askBeats: { perMinute: 90, burst: 30 },
  runMessages: { perMinute: 30, burst: 30 },
  scriptMessages: { perMinute: 300, burst: 300 },
  // Per instance: calls of server functions.
  asks: { perMinute: 60, burst: 20 },
  // Calls that needed more time or memory than one may: by function, by account whose author tries functions, by account.
  stoppedFunction: { perMinute: 1, burst: 1 },
  stoppedTrials: { perMinute: 1, burst: 1 },
  stoppedAccount: { perMinute: 5, burst: 5 },
  connectAddress: { perMinute: 60, burst: 60 },
  connectInstance: { perMinute: 10, burst: 10 },
  ownPageAddress: { perMinute: 60, burst: 60 },
  ownPageKey: { perMinute: 30, burst: 30 },
  ownReset: { perMinute: 5 / 60, burst: 5 },
  adPageAddress: { perMinute: 240, burst: 120 },
  // Per provider, which calls for all of its visitors.
  adPostbackAddress: { perMinute: 3000, burst: 1000 },
  // Per customer: a trace searches everything that a script served.
  trace: { perMinute: 6, burst: 6 },
  // Per customer: a proof may hold a process for half a minute, and a failed one costs no obfuscation.
  proof: { perMinute: 6, burst: 6 },
  // Per customer, 20 a day: builds that reach the deadline or the memory limit and cost no obfuscation.
  exhaustedBuild: { perMinute: 20 / 1440, burst: 20 },
  // Per address of a webhook: tests and redeliveries, which go to a host of the customer's choice.
  webhookTest: { perMinute: 6, burst: 6 },
  // For everything that a browser may ask without being signed in.
  authAddress: { perMinute: 60, burst: 60 },
  // Wrong passwords: 5 in 15 minutes for an e-mail address from one network prefix, and 100 a day from the prefix.
  passwordEmail: { perMinute: 5 / 15, burst: 5 },
  passwordPrefix: { perMinute: 100 / 1440, burst: 100 },
  // Wrong passwords for an e-mail address from everywhere, after which its person is warned, once a day.
  passwordGuesses: { perMinute: 20 / 1440, burst: 20 },
  passwordWarning: { perMinute: 1 / 1440, burst: 1 },
  // In a browser in which the person signed in before; others' wrong tries do not count there.
  passwordBrowser: { perMinute: 10 / 15, burst: 10 },
  // Links by mail, per address.
  mailedLink: { perMinute: 3 / 60, burst: 3 },
  // Codes of a second factor: 5 in 15 minutes for a person from one network prefix, and 100 a day from everywhere.
  codePrefix: { perMinute: 5 / 15, burst: 5 },
  codePerson: { perMinute: 100 / 1440, burst: 100 },
  // In a browser in which the person signed in before; others' codes do not count there.
  codeBrowser: { perMinute: 10 / 15, burst: 10 },
} as const satisfies Record<string, Rule>
export type Limit = keyof typeof RULES

/** Counted by each process alone: they only keep floods cheap, and asking Valkey would cost more than the request. */
export const LOCAL_LIMITS: ReadonlySet<Limit> = new Set([
  'execFlood',
  'beatAddress',
  'leases',
  'messageBeats',
  'askBeats',
  'runMessages',
  'asks',
  'stoppedFunction',
  'stoppedTrials',
  'stoppedAccount',
  'connectAddress',
  'adPageAddress',
  'adPostbackAddress',
])

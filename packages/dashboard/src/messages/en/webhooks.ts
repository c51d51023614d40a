/** Messages for webhooks: endpoints, their health, and deliveries. */
import { number } from '../../lib/format.ts'

export const webhooksText = {
  intro: 'Send signed events to your server or Discord within seconds.',
  addresses: 'Endpoints',
  addressesHint:
    'The project has a webhook for each kind of event. Custom endpoints receive all events, or the ones you select, and have their own secret and retries.',
  ofProject: 'Project webhook',
  custom: 'Custom endpoint',
  kinds: {
    execution: 'Runs',
    information: 'Information',
    blacklist: 'Blocks',
  },
  kindHints: {
    execution: 'Every granted or denied run.',
    information: 'New keys, resets, keys earned through ads and other changes.',
    blacklist: 'Blocked users, copied runs and suspicious activity.',
  },
  none: 'No endpoint yet',
  states: {
    untried: 'Not tried yet',
    active: 'Healthy',
    failing: 'Failing',
    paused: 'Paused',
    disabled: 'Disabled',
  },
  failingFor: (count: number, since: string) =>
    count === 1 ? `1 failure, ${since}` : `${number(count)} consecutive failures, the first ${since}`,
  pausedHint:
    'Deliveries have been failing for 5 days. We now retry once a day and no longer queue new events. Fix the receiver, then save the endpoint again.',
  goneHint: 'The receiver returned 410 Gone. Save the endpoint again to resume deliveries.',
  failingHint: 'We retry automatically. The responses are listed under Deliveries.',
  waiting: (count: number) =>
    count >= 10_000
      ? `${number(10_000)}+ events queued`
      : count === 1
        ? '1 event queued'
        : `${number(count)} events queued`,
  chat: 'Discord format',
  add: 'Add endpoint',
  edit: 'Edit',
  addOf: (kind: string) => `Add endpoint for ${kind}`,
  editOf: (kind: string) => `Edit endpoint for ${kind}`,
  testOf: (kind: string) => `Send test to ${kind}`,
  removeOf: (kind: string) => `Remove endpoint for ${kind}`,
  test: 'Send test',
  secret: 'Signing secret',
  showSecret: 'Show signing secret',
  hideSecret: 'Hide signing secret',
  secretHint: 'Used for v1 signatures. Anyone with this secret can sign events, so keep it on your server.',
  formTitle: (kind: string) => `Endpoint for ${kind}`,
  address: 'URL',
  addressHint: 'An https:// URL on a public host, or a webhook URL from Discord.',
  addressMissing: 'Enter the endpoint URL.',
  addressNoUrl: 'Enter a full URL, such as https://example.com/hook.',
  changedMeanwhile: (address: string) =>
    address === ''
      ? 'Someone else removed this endpoint. Saving adds it again.'
      : `Someone else changed this endpoint to ${address}. Saving will overwrite their change.`,
  saved: 'Endpoint saved.',
  removed: 'Endpoint removed.',
  removeTitle: (kind: string) => `Remove endpoint for ${kind}?`,
  removeWords: (waiting: number) =>
    waiting === 0
      ? 'It will stop receiving events.'
      : `It will stop receiving events, and ${waiting === 1 ? '1 queued event' : `${number(waiting)} queued events`} will be dropped.`,
  tested: 'Test sent. See its delivery for the response.',

  moreFull: 'A project can have up to 10 custom endpoints. Remove one first.',
  addMore: 'Add custom endpoint',
  editMore: (name: string) => `Edit ${name}`,
  actionsOf: (name: string) => `Actions for ${name}`,
  name: 'Name',
  nameHint: 'Only for you; not sent to the receiver.',
  nameMissing: 'Enter a name.',
  whichEvents: 'Events to send',
  allEvents: 'All events',
  chosenEvents: 'Only selected events',
  eventCount: (count: number) => (count === 1 ? '1 event' : `${number(count)} events`),
  eventsOf: (count: number, chosen: number) => `${number(count)} events, ${number(chosen)} selected`,
  eventsMissing: 'Select at least one event.',
  someEvents: (count: number, first: string) =>
    count <= 3 ? first : `${first} and ${number(count - 3)} more`,
  whichScripts: 'Scripts to include',
  whichScriptsHint: 'Filters script events only. Events about users are always sent.',
  allScripts: 'All scripts',
  chosenScripts: 'Only selected scripts',
  scriptsMissing: 'Select at least one script.',
  onlyScripts: (names: string) => `Scripts: ${names}`,
  off: 'Off',
  switchOn: 'Turn on',
  switchOff: 'Turn off',
  switchedOn: 'Endpoint turned on. It will receive events from now on.',
  switchedOff: 'Endpoint turned off. Queued events were dropped.',
  rotate: 'Rotate secret',
  rotateOf: (name: string) => `Rotate secret for ${name}`,
  rotateTitle: (name: string) => `Rotate secret for ${name}`,
  rotateText:
    'Events are signed with both secrets during the grace period, so you can update your receiver without downtime.',
  rotateNow: 'Rotate secret',
  rotated: 'Secret rotated. The new one is shown below the endpoint.',
  removeMoreTitle: (name: string) => `Remove ${name}?`,
  removedAddress: 'Removed endpoint',
  recover: 'Replay events…',
  recoverOf: (name: string) => `Replay events to ${name}`,
  recoverTitle: (name: string) => `Replay events to ${name}`,
  recoverText:
    'For a receiver that is new or was down. Sends every stored event, including ones it never received. Event IDs stay the same so the receiver can deduplicate.',
  recoverNow: 'Replay events',
  since: 'Since',
  sinceHours: (hours: number) =>
    hours === 1
      ? '1 hour ago'
      : hours <= 24
        ? `${number(hours)} hours ago`
        : `${number(hours / 24)} days ago`,
  sinceAt: 'Custom date and time',
  sinceDate: 'Date and time',
  sinceMissing: 'Enter a date and time.',
  undeliveredOnly: 'Only undelivered events',
  undeliveredOnlyHint: 'Skips events the receiver already accepted.',
  recovered: (count: number) =>
    count === 0
      ? 'Nothing to replay: no events are stored for this period.'
      : count === 1
        ? 'Replaying 1 event.'
        : `Replaying ${number(count)} events.`,
  recoveredSome: (count: number, left: number) =>
    `Replaying the latest ${number(count)} events; ${number(left)} older ones are skipped.`,

  deliveries: 'Deliveries',
  deliveriesHint: 'The latest 1,000 events per endpoint, kept for up to 30 days.',
  filters: 'Filter deliveries',
  state: 'Status',
  type: 'Event',
  deliveryStates: {
    pending: 'Pending',
    delivered: 'Delivered',
    failed: 'Failed',
    dropped: 'Dropped',
  },
  retrying: (when: string) => `Retrying ${when}`,
  retryingSoon: 'Retrying soon',
  goesTo: 'Endpoint',
  created: 'Created',
  attempts: 'Attempts',
  lastAnswer: 'Last response',
  noDeliveries: 'No deliveries yet',
  noDeliveriesHint: 'Send a test to one of your endpoints to see a delivery here.',
  noDeliveriesYet: 'Add an endpoint to see its deliveries and responses here.',
  nextAttempt: 'Next attempt',
  eventId: 'Event ID',
  body: 'Request body',
  noBody: 'Hidden because it contains license keys. To view it, you need permission to view users.',
  chatBody: 'This endpoint receives the event as a chat message with masked keys.',
  noAttempts: 'No attempts yet.',
  answered: (status: number) => `HTTP ${status}`,
  took: (ms: string) => `in ${ms}`,
  emptyAnswer: 'Empty response.',
  resend: 'Resend',
  resendHint: 'Keeps the same event ID so your receiver can deduplicate.',
  resent: 'Resent. The new attempt appears here in a moment.',
  notLoaded: 'Delivery not found in this list',
  notLoadedHint: 'It is hidden by filters or no longer stored.',
  showAll: 'Show all deliveries',

  verify: 'Verify signatures',
  verifyHint:
    'Verify the signature before you trust a message, and reject timestamps more than 5 minutes off.',
  verifyNode: 'Node.js',
  verifyPython: 'Python',
  verifyLibrary: 'With signing secret',
  verifyLibraryHint:
    "Use the standardwebhooks package, available for most languages, with the endpoint's signing secret.",
  publicKey: 'Public key',
  retiredKey: (when: string) => `Previous public key, valid for older deliveries until ${when}`,
  answerHint:
    'Respond with a 2xx status within 15 seconds. The same event can arrive more than once: store event IDs if that matters.',

  events: 'Event types',
  eventsHint: 'Every event, grouped by the endpoint that receives it.',
  about: {
    'execution.granted': 'A run was granted.',
    'execution.denied': 'A run was denied. Includes the reason.',
    'execution.copied': 'A run was detected as a copy and ended.',
    'execution.suspected': 'A run requested the keys of most locked functions within a short time.',
    'user.created': 'A user was created.',
    'user.edited': 'A user was edited. Includes the values before and after.',
    'user.removed': 'A user was removed.',
    'users.generated': 'License keys were generated.',
    'users.imported': 'Users were imported.',
    'users.removed': 'Several users were removed at once: all, unused, expired or selected users.',
    'users.changed': 'Users were changed in bulk.',
    'users.restored': 'A bulk change or removal was undone.',
    'user.device_added': 'A multi-device key was bound to a device.',
    'user.fingerprint_reset': "A user's device was reset.",
    'users.fingerprint_reset_all': "All users' devices were reset.",
    'user.linked': 'A user was linked to a Discord account.',
    'users.compensated': 'Time was added to all keys.',
    'webhook.test': 'A test event was requested.',
    'events.left_out': 'Too many events were queued, so some were dropped. Includes how many.',
    'user.key_issued': 'A visitor earned a key through ads.',
    'user.key_extended': 'A visitor extended their key through ads.',
    'ads.misconfigured': "An ad network rejected a step's settings.",
    'user.paused': 'A key was paused.',
    'user.resumed': 'A paused key was resumed.',
    'user.extended': 'Time was added to a key.',
    'user.features_changed': "A key's features changed.",
    'function.failed': 'A server function failed. Sent at most once per hour for each function.',
    'script.error_new': 'A run reported a new error. Sent at most 10 times per hour for each script.',
    'script.error_regressed': 'A later version reported an error that had been resolved.',
    'release.started': 'A version is being released to customers.',
    'release.completed': 'A release reached all customers and its version is healthy.',
    'release.held': 'A release was paused because its version fails more often than the previous one.',
    'release.rolled_back': 'A release was rolled back, by the guard or by your team.',
    'variables.edited': 'Remote variables were changed.',
    'plan.edited': 'A plan was edited, which updates every key on it.',
    'user.expiring': 'A key is about to expire. Set the lead time in the project settings.',
    'user.expired': 'A key expired.',
    'user.limit_reached':
      'A key was denied because it reached a limit: total runs, quota, concurrent runs or devices.',
    'user.blacklisted': 'A user was blocked.',
    'user.unblacklisted': 'A user was unblocked.',
    'user.shared': 'A key was used on more networks than the project allows, or on two at the same time.',
    'user.blacklist_expired': "A user's block expired.",
  },
  anyAddress: 'Affected endpoint',
} as const

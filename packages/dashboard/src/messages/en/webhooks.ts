/** Webhooks: where events go, how that goes, and what was sent. */
import { number } from '../../lib/format.ts'

export const webhooksText = {
  intro: 'Your own server or chat hears of what happens in this project, within seconds and signed.',
  addresses: 'Addresses',
  addressesHint: 'Each gets its own kind of events.',
  kinds: {
    execution: 'Executions',
    information: 'Information',
    blacklist: 'Blacklist',
  },
  kindHints: {
    execution: 'Each run of a script that was granted or denied.',
    information: 'New keys, resets, keys earned by ads and other changes.',
    blacklist: 'Users who were blacklisted, copied runs and suspicions.',
  },
  none: 'No address yet',
  states: {
    untried: 'Not tried yet',
    active: 'Works',
    failing: 'Failing',
    paused: 'Paused',
    disabled: 'Gone',
  },
  failingFor: (count: number, since: string) =>
    count === 1 ? `1 failure, ${since}` : `${number(count)} failures in a row, the first ${since}`,
  pausedHint:
    'It failed for five days, so it is tried once a day and no events are stored for it. Mend the receiver, then save the address again.',
  goneHint: 'The receiver said that it is gone. Save the address again to go on.',
  failingHint: 'It is tried again by itself. Its deliveries say what came back.',
  waiting: (count: number) =>
    count >= 10_000
      ? `${number(10_000)} or more events wait`
      : count === 1
        ? '1 event waits'
        : `${number(count)} events wait`,
  chat: 'Chat format',
  add: 'Add an address',
  edit: 'Change',
  addOf: (kind: string) => `Add an address for ${kind}`,
  editOf: (kind: string) => `Change the address for ${kind}`,
  testOf: (kind: string) => `Send a test to ${kind}`,
  removeOf: (kind: string) => `Remove the address for ${kind}`,
  test: 'Send a test',
  secret: 'Signing secret',
  showSecret: 'Show the secret',
  hideSecret: 'Hide the secret',
  secretHint: 'For the signature v1. Who has it can sign events, so keep it on your server.',
  formTitle: (kind: string) => `Address for ${kind}`,
  address: 'Address',
  addressHint: 'Begins with https:// and leads to a public host. The webhook of a chat channel works too.',
  addressMissing: 'Enter the address that is to be called.',
  addressNoUrl: 'Enter a whole address, such as https://example.com/hook.',
  changedMeanwhile: (address: string) =>
    address === ''
      ? 'The address was removed meanwhile. Saving sets it again.'
      : `The address was changed meanwhile, to ${address}. Saving replaces it.`,
  saved: 'Address saved.',
  removed: 'Address removed.',
  removeTitle: (kind: string) => `Remove the address for ${kind}?`,
  removeWords: (waiting: number) =>
    waiting === 0
      ? 'No events go there any more.'
      : `No events go there any more; the ${number(waiting)} that wait are dropped.`,
  tested: 'The test is on its way. Its delivery shows what came back.',

  more: 'More addresses',
  moreHint: 'Each with a secret, deliveries and retries of its own. One that fails holds no other back.',
  moreFull: 'A project has at most ten of them. Remove one first.',
  addMore: 'Add another address',
  editMore: (name: string) => `Change ${name}`,
  noMore: 'No more addresses',
  noMoreHint: 'A second receiver gets all events, or only those that you choose.',
  actionsOf: (name: string) => `More for ${name}`,
  name: 'Name',
  nameHint: 'You find it by this name; the receiver does not see it.',
  nameMissing: 'Give it a name.',
  whichEvents: 'Which events',
  allEvents: 'All events',
  chosenEvents: 'Only these',
  eventsMissing: 'Choose at least one event.',
  someEvents: (count: number, first: string) =>
    count <= 3 ? first : `${first} and ${number(count - 3)} more`,
  whichScripts: 'Which scripts',
  whichScriptsHint: 'Only events about a script are held back; those about users come anyway.',
  allScripts: 'All scripts',
  chosenScripts: 'Only these',
  scriptsMissing: 'Choose at least one script.',
  onlyScripts: (names: string) => `Scripts: ${names}`,
  off: 'Off',
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  switchedOn: 'Switched on. Events go there from now on.',
  switchedOff: 'Switched off. What waited was dropped.',
  rotate: 'New secret',
  rotateOf: (name: string) => `New secret for ${name}`,
  rotateTitle: (name: string) => `A new secret for ${name}`,
  rotateText:
    'Messages are signed with both for a while, so that you can change your receiver without a gap.',
  rotateNow: 'Make a new secret',
  rotated: 'New secret made. It shows under the address.',
  removeMoreTitle: (name: string) => `Remove ${name}?`,
  removedAddress: 'Removed address',
  recover: 'Send again since',
  recoverOf: (name: string) => `Send again since, to ${name}`,
  recoverTitle: (name: string) => `Send ${name} what happened since`,
  recoverText:
    'For a receiver that was down or is new. It gets every event that is still stored, also what it never got. Ids stay, so that it can drop what it knows.',
  recoverNow: 'Send again',
  since: 'Since',
  sinceHours: (hours: number) =>
    hours === 1
      ? '1 hour ago'
      : hours <= 24
        ? `${number(hours)} hours ago`
        : `${number(hours / 24)} days ago`,
  sinceAt: 'A date and time',
  sinceDate: 'Date and time',
  sinceMissing: 'Choose a date and a time.',
  undeliveredOnly: 'Only what was not delivered',
  undeliveredOnlyHint: 'Leaves out what the receiver answered with success.',
  recovered: (count: number) =>
    count === 0
      ? 'Nothing to send: no event is stored since then.'
      : count === 1
        ? '1 event is on its way.'
        : `${number(count)} events are on their way.`,
  recoveredSome: (count: number, left: number) =>
    `The newest ${number(count)} events are on their way; ${number(left)} older ones are not sent.`,

  deliveries: 'Deliveries',
  deliveriesHint: 'The newest 1,000 events of each address, for at most 30 days.',
  filters: 'Which deliveries are shown',
  state: 'State',
  type: 'Event',
  deliveryStates: {
    pending: 'Waiting',
    delivered: 'Delivered',
    failed: 'Failed',
    dropped: 'Dropped',
  },
  goesTo: 'Address',
  created: 'Happened',
  attempts: 'Attempts',
  lastAnswer: 'Last answer',
  noDeliveries: 'Nothing was sent yet',
  noDeliveriesHint: 'Send a test to one of your addresses, and its delivery shows here.',
  noDeliveriesYet: 'Add an address. What is sent to it then shows here, with what came back.',
  nextAttempt: 'Next attempt',
  eventId: 'Event id',
  body: 'What is sent',
  noBody: 'Only people who may read users see it, because it holds keys of users.',
  chatBody: 'Your address gets this as a message with masked keys.',
  noAttempts: 'No attempt yet.',
  answered: (status: number) => `Answered ${status}`,
  took: (ms: string) => `after ${ms}`,
  emptyAnswer: 'An empty answer.',
  resend: 'Send again',
  resendHint: 'It keeps its id, so that your receiver can tell that it knows it.',
  resent: 'Sent again. Its newest attempt shows here in a moment.',
  notLoaded: 'This delivery is not among those that are shown',
  notLoadedHint: 'Filters hide it, or it is older than what is stored.',
  showAll: 'Show all deliveries',

  verify: 'Verify signatures',
  verifyHint:
    'Check the signature before you believe a message, and refuse timestamps more than five minutes away.',
  verifyNode: 'Node.js',
  verifyPython: 'Python',
  verifyLibrary: 'With your secret',
  verifyLibraryHint:
    'The package standardwebhooks does it for you, in most languages. It takes the signing secret of the address.',
  publicKey: 'Public key',
  retiredKey: (when: string) => `Still valid for older deliveries, until ${when}`,
  answerHint:
    'Answer with any status from 200 to 299 within 15 seconds. A message may come twice: store its id if that matters.',

  events: 'What is sent',
  eventsHint: 'Every event and the address that gets it.',
  about: {
    'execution.granted': 'A script was handed to a client.',
    'execution.denied': 'A client asked for a script and did not get it. The event says why.',
    'execution.copied': 'A run was copied and ended.',
    'execution.suspected': 'A run asked for the keys of most locked functions at once.',
    'user.created': 'A user was created.',
    'user.edited': 'A user was edited. The event has the values before and after.',
    'user.removed': 'A user was removed.',
    'users.generated': 'User keys were generated.',
    'users.imported': 'Users were imported.',
    'users.removed': 'Many users were removed at once: purged, cleared, expired or chosen.',
    'users.changed': 'Many users were changed at once.',
    'users.restored': 'A removal or a change of many users was undone.',
    'user.device_added': 'A key for several devices was bound to one.',
    'user.fingerprint_reset': 'The device of a user was reset.',
    'users.fingerprint_reset_all': 'The devices of all users were reset.',
    'user.linked': 'A user was linked to a chat account.',
    'users.compensated': 'Time was added to user keys.',
    'webhook.test': 'A test was asked for.',
    'events.left_out': 'Too many events waited, so some were not sent. It counts them.',
    'user.key_issued': 'A visitor of ads earned a key.',
    'user.key_extended': 'A visitor of ads extended their key.',
    'ads.misconfigured': 'An ad provider refuses the settings of a checkpoint.',
    'user.paused': 'A key was paused.',
    'user.resumed': 'A paused key goes on.',
    'user.extended': 'Time was added to a key.',
    'user.features_changed': 'The features of a key changed.',
    'function.failed':
      'A function that a script asked the service to run failed; at most once an hour for each.',
    'variables.edited': 'The variables of running scripts were changed.',
    'plan.edited': 'A plan was edited, and with it what its keys may do.',
    'user.expiring': 'A key is about to expire; the settings say how long before.',
    'user.expired': 'A key expired.',
    'user.limit_reached':
      'A key was refused because it had met a limit: runs, quota, runs at a time or devices.',
    'user.blacklisted': 'A user was blacklisted.',
    'user.unblacklisted': 'A user is no longer blacklisted.',
    'user.shared': 'A key is used in more networks than the project allows for.',
    'user.blacklist_expired': 'The blacklist of a user ran out.',
  },
  anyAddress: 'The address concerned',
} as const

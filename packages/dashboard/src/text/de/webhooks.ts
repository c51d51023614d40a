/** Webhooks: where events go, how that goes, and what was sent. */
import { number } from '../../format.ts'
import type { webhooksText as english } from '../en/webhooks.ts'
import type { Words } from '../words.ts'

export const webhooksText: Words<typeof english> = {
  intro:
    'Ihr Server oder Ihr Chat erfährt binnen Sekunden, was in diesem Projekt geschieht. Jede Nachricht ist signiert.',
  addresses: 'Adressen',
  addressesHint: 'Jede bekommt ihre eigene Art von Ereignissen.',
  kinds: {
    execution: 'Ausführungen',
    information: 'Informationen',
    blacklist: 'Sperrliste',
  },
  kindHints: {
    execution: 'Jede Ausführung eines Skripts, erlaubt oder abgewiesen.',
    information: 'Neue Schlüssel, Zurücksetzungen, durch Werbung verdiente Schlüssel und andere Änderungen.',
    blacklist: 'Gesperrte Nutzer, kopierte Ausführungen und Verdachtsfälle.',
  },
  none: 'Noch keine Adresse',
  states: { active: 'Funktioniert', failing: 'Gestört', paused: 'Pausiert', disabled: 'Nicht mehr da' },
  failingFor: (count, since) =>
    count === 1 ? `1 Fehlschlag, ${since}` : `${number(count)} Fehlschläge in Folge, der erste ${since}`,
  pausedHint:
    'Fünf Tage lang schlug alles fehl. Deshalb wird einmal am Tag ein Versuch gemacht, und Ereignisse werden nicht mehr gespeichert. Bringen Sie den Empfänger in Ordnung, und speichern Sie die Adresse dann noch einmal.',
  goneHint:
    'Der Empfänger sagt, dass es ihn nicht mehr gibt. Speichern Sie die Adresse noch einmal, um fortzufahren.',
  failingHint: 'Es wird von selbst wieder versucht. Die Zustellungen zeigen, was zurückkam.',
  waiting: (count) =>
    count >= 10_000
      ? `${number(10_000)} oder mehr Ereignisse warten`
      : count === 1
        ? '1 Ereignis wartet'
        : `${number(count)} Ereignisse warten`,
  chat: 'Chat-Format',
  add: 'Adresse eintragen',
  edit: 'Ändern',
  addOf: (kind) => `Adresse für ${kind} eintragen`,
  editOf: (kind) => `Adresse für ${kind} ändern`,
  testOf: (kind) => `Test an ${kind} senden`,
  removeOf: (kind) => `Adresse für ${kind} entfernen`,
  test: 'Test senden',
  secret: 'Geheimnis für Signaturen',
  showSecret: 'Geheimnis zeigen',
  hideSecret: 'Geheimnis verbergen',
  secretHint:
    'Für die Signatur v1. Wer es kennt, kann Ereignisse signieren: Bewahren Sie es auf Ihrem Server auf.',
  formTitle: (kind) => `Adresse für ${kind}`,
  address: 'Adresse',
  addressHint:
    'Beginnt mit https:// und führt zu einem öffentlichen Rechner. Auch der Webhook eines Chat-Kanals geht.',
  addressMissing: 'Tragen Sie die Adresse ein, die aufgerufen werden soll.',
  addressNoUrl: 'Tragen Sie eine ganze Adresse ein, zum Beispiel https://example.com/hook.',
  changedMeanwhile: (address) =>
    address === ''
      ? 'Die Adresse wurde inzwischen entfernt. Speichern trägt sie wieder ein.'
      : `Die Adresse wurde inzwischen geändert, zu ${address}. Speichern ersetzt sie.`,
  saved: 'Adresse gespeichert.',
  removed: 'Adresse entfernt.',
  removeTitle: (kind) => `Adresse für ${kind} entfernen?`,
  removeWords: (waiting) =>
    waiting === 0
      ? 'Dorthin gehen keine Ereignisse mehr.'
      : `Dorthin gehen keine Ereignisse mehr; die ${number(waiting)}, die warten, werden verworfen.`,
  tested: 'Der Test ist unterwegs. Seine Zustellung zeigt, was zurückkam.',

  more: 'Weitere Adressen',
  moreHint:
    'Jede mit eigenem Geheimnis, eigenen Zustellungen und eigenen Wiederholungen. Eine gestörte hält keine andere auf.',
  moreFull: 'Ein Projekt hat höchstens zehn davon. Entfernen Sie zuerst eine.',
  addMore: 'Weitere Adresse eintragen',
  editMore: (name) => `${name} ändern`,
  noMore: 'Keine weiteren Adressen',
  noMoreHint: 'Ein zweiter Empfänger bekommt alle Ereignisse oder nur die, die Sie auswählen.',
  actionsOf: (name) => `Mehr zu ${name}`,
  name: 'Name',
  nameHint: 'Unter diesem Namen finden Sie sie wieder; der Empfänger sieht ihn nicht.',
  nameMissing: 'Geben Sie ihr einen Namen.',
  whichEvents: 'Welche Ereignisse',
  allEvents: 'Alle Ereignisse',
  chosenEvents: 'Nur diese',
  eventsMissing: 'Wählen Sie mindestens ein Ereignis.',
  someEvents: (count, first) => (count <= 3 ? first : `${first} und ${number(count - 3)} weitere`),
  whichScripts: 'Welche Skripte',
  whichScriptsHint: 'Nur Ereignisse zu einem Skript werden zurückgehalten; die zu Nutzern kommen trotzdem.',
  allScripts: 'Alle Skripte',
  chosenScripts: 'Nur diese',
  scriptsMissing: 'Wählen Sie mindestens ein Skript.',
  onlyScripts: (names) => `Skripte: ${names}`,
  off: 'Aus',
  switchOn: 'Einschalten',
  switchOff: 'Ausschalten',
  switchedOn: 'Eingeschaltet. Ereignisse gehen ab jetzt dorthin.',
  switchedOff: 'Ausgeschaltet. Was wartete, wurde verworfen.',
  rotate: 'Neues Geheimnis',
  rotateTitle: (name) => `Ein neues Geheimnis für ${name}`,
  rotateText:
    'Nachrichten werden eine Zeit lang mit beiden signiert, damit Sie den Empfänger ohne Lücke umstellen können.',
  rotateNow: 'Neues Geheimnis erzeugen',
  rotated: 'Neues Geheimnis erzeugt. Es steht unter der Adresse.',
  removeMoreTitle: (name) => `${name} entfernen?`,
  removedAddress: 'Entfernte Adresse',
  recover: 'Nachsenden seit',
  recoverOf: (name) => `Nachsenden seit, an ${name}`,
  recoverTitle: (name) => `An ${name} nachsenden`,
  recoverText:
    'Für einen Empfänger, der ausgefallen war oder neu ist. Er bekommt jedes Ereignis, das noch gespeichert ist, auch was er nie bekam. Die Kennungen bleiben, damit er Bekanntes verwerfen kann.',
  recoverNow: 'Nachsenden',
  since: 'Seit',
  sinceHours: (hours) =>
    hours === 1
      ? 'vor 1 Stunde'
      : hours <= 24
        ? `vor ${number(hours)} Stunden`
        : `vor ${number(hours / 24)} Tagen`,
  sinceAt: 'Tag und Uhrzeit',
  sinceDate: 'Tag und Uhrzeit wählen',
  sinceMissing: 'Wählen Sie einen Tag und eine Uhrzeit.',
  undeliveredOnly: 'Nur was nicht zugestellt wurde',
  undeliveredOnlyHint: 'Lässt aus, was der Empfänger schon bestätigt hat.',
  recovered: (count) =>
    count === 0
      ? 'Nichts nachzusenden: Seither ist kein Ereignis gespeichert.'
      : count === 1
        ? '1 Ereignis ist unterwegs.'
        : `${number(count)} Ereignisse sind unterwegs.`,
  recoveredSome: (count, left) =>
    `Die neuesten ${number(count)} Ereignisse sind unterwegs; ${number(left)} ältere werden nicht gesendet.`,

  deliveries: 'Zustellungen',
  deliveriesHint: 'Die neuesten 1.000 Ereignisse jeder Adresse, höchstens 30 Tage lang.',
  filters: 'Welche Zustellungen gezeigt werden',
  state: 'Stand',
  type: 'Ereignis',
  deliveryStates: {
    pending: 'Wartet',
    delivered: 'Zugestellt',
    failed: 'Fehlgeschlagen',
    dropped: 'Verworfen',
  },
  goesTo: 'Adresse',
  created: 'Geschehen',
  attempts: 'Versuche',
  lastAnswer: 'Letzte Antwort',
  noDeliveries: 'Noch wurde nichts gesendet',
  noDeliveriesHint: 'Senden Sie einen Test an eine Ihrer Adressen; seine Zustellung erscheint hier.',
  noDeliveriesYet: 'Tragen Sie eine Adresse ein. Was dorthin geht, erscheint hier, mit dem, was zurückkam.',
  nextAttempt: 'Nächster Versuch',
  eventId: 'Kennung',
  body: 'Was gesendet wird',
  noBody: 'Das sieht nur, wer Nutzer lesen darf, denn es enthält Schlüssel von Nutzern.',
  chatBody: 'Ihre Adresse bekommt dies als Nachricht mit verdeckten Schlüsseln.',
  noAttempts: 'Noch kein Versuch.',
  answered: (status) => `Antwort ${status}`,
  took: (ms) => `nach ${ms}`,
  emptyAnswer: 'Eine leere Antwort.',
  resend: 'Noch einmal senden',
  resendHint: 'Die Kennung bleibt gleich, damit Ihr Empfänger sieht, dass er es schon kennt.',
  resent: 'Noch einmal gesendet. Der neueste Versuch erscheint hier gleich.',
  notLoaded: 'Diese Zustellung ist nicht unter den gezeigten',
  notLoadedHint: 'Filter verbergen sie, oder sie ist älter als das, was gespeichert wird.',
  showAll: 'Alle Zustellungen zeigen',

  verify: 'Kommt es wirklich von hier?',
  verifyHint:
    'Prüfen Sie die Signatur, bevor Sie einer Nachricht glauben, und lehnen Sie Zeiten ab, die mehr als fünf Minuten entfernt sind.',
  verifyNode: 'Node.js',
  verifyPython: 'Python',
  verifyLibrary: 'Mit Ihrem Geheimnis',
  verifyLibraryHint:
    'Das Paket standardwebhooks nimmt Ihnen das in den meisten Sprachen ab. Es braucht das Geheimnis der Adresse.',
  publicKey: 'Öffentlicher Schlüssel',
  retiredKey: (when) => `Gilt noch für ältere Zustellungen, bis ${when}`,
  answerHint:
    'Antworten Sie innerhalb von 15 Sekunden mit einem Status von 200 bis 299. Eine Nachricht kann zweimal kommen: Speichern Sie die Kennung, wenn das eine Rolle spielt.',

  events: 'Was gesendet wird',
  eventsHint: 'Jedes Ereignis und die Adresse, die es bekommt.',
  about: {
    'execution.granted': 'Ein Skript wurde ausgeliefert.',
    'execution.denied': 'Jemand wollte ein Skript ausführen und bekam es nicht. Das Ereignis sagt, warum.',
    'execution.copied': 'Eine Ausführung wurde kopiert und beendet.',
    'execution.suspected':
      'Eine Ausführung fragte auf einmal nach den Schlüsseln der meisten gesperrten Funktionen.',
    'user.created': 'Ein Nutzer wurde angelegt.',
    'user.edited': 'Ein Nutzer wurde geändert. Das Ereignis enthält die Werte vorher und nachher.',
    'user.removed': 'Ein Nutzer wurde entfernt.',
    'users.generated': 'Schlüssel wurden erzeugt.',
    'users.imported': 'Nutzer wurden importiert.',
    'users.removed': 'Viele Nutzer wurden auf einmal entfernt: unbenutzte, alle, abgelaufene oder gewählte.',
    'users.changed': 'Viele Nutzer wurden auf einmal geändert.',
    'users.restored': 'Eine Änderung vieler Nutzer wurde rückgängig gemacht.',
    'user.device_added': 'Ein Schlüssel für mehrere Geräte wurde an eines gebunden.',
    'user.fingerprint_reset': 'Das Gerät eines Nutzers wurde zurückgesetzt.',
    'users.fingerprint_reset_all': 'Die Geräte aller Nutzer wurden zurückgesetzt.',
    'user.linked': 'Ein Nutzer wurde mit einem Chat-Konto verbunden.',
    'users.compensated': 'Schlüssel wurden verlängert.',
    'webhook.test': 'Ein Test wurde verlangt.',
    'events.left_out':
      'Zu viele Ereignisse warteten, deshalb wurden einige nicht gesendet. Hier stehen die Anzahlen.',
    'user.key_issued': 'Ein Besucher der Werbung hat einen Schlüssel verdient.',
    'user.key_extended': 'Ein Besucher der Werbung hat seinen Schlüssel verlängert.',
    'ads.misconfigured': 'Ein Werbeanbieter lehnt die Einstellungen eines Schritts ab.',
    'user.paused': 'Ein Schlüssel wurde angehalten.',
    'user.resumed': 'Ein angehaltener Schlüssel läuft weiter.',
    'user.extended': 'Ein Schlüssel wurde verlängert.',
    'user.features_changed': 'Die Funktionen eines Schlüssels haben sich geändert.',
    'function.failed':
      'Eine Funktion, die ein Skript den Dienst ausführen ließ, ist gescheitert; höchstens einmal in der Stunde je Funktion.',
    'variables.edited': 'Die Variablen laufender Skripte wurden geändert.',
    'plan.edited': 'Ein Plan wurde geändert und damit, was seine Schlüssel dürfen.',
    'user.expiring': 'Ein Schlüssel läuft bald ab; wie lange davor, sagen die Einstellungen.',
    'user.expired': 'Ein Schlüssel ist abgelaufen.',
    'user.limit_reached':
      'Ein Schlüssel wurde abgewiesen, weil er eine Grenze erreicht hat: Ausführungen, Kontingent, gleichzeitige Läufe oder Geräte.',
    'user.blacklisted': 'Ein Nutzer wurde gesperrt.',
    'user.unblacklisted': 'Ein Nutzer ist nicht mehr gesperrt.',
    'user.shared': 'Ein Schlüssel wird in mehr Netzen benutzt, als das Projekt vorsieht.',
    'user.blacklist_expired': 'Die Sperre eines Nutzers ist abgelaufen.',
  },
  anyAddress: 'Die betroffene Adresse',
}

/** Ad systems: visitors pass ads and earn keys that last for a while. */
import { number } from '../../format.ts'
import type { adsText as english } from '../en/ads.ts'
import type { Words } from '../words.ts'

export const adsText: Words<typeof english> = {
  intro: 'Besucher gehen Schritt für Schritt durch Werbung und verdienen einen Schlüssel auf Zeit.',
  newSystem: 'Neues Werbesystem',
  noSystems: 'Noch kein Werbesystem',
  noSystemsHint:
    'Ein Werbesystem ist eine Seite, die Sie weitergeben. Besucher gehen durch die Links, die Sie bei Werbeanbietern angelegt haben, und bekommen am Ende einen Schlüssel. Sie verdienen, und Ihre Nutzer spielen kostenlos.',
  systems: 'Werbesysteme',
  keysEarned: (count) => (count === 1 ? '1 Schlüssel verdient' : `${number(count)} Schlüssel verdient`),
  completions: (count) => (count === 1 ? '1 Besuch vollendet' : `${number(count)} Besuche vollendet`),
  steps: (count) =>
    count === 0 ? 'noch kein Schritt' : count === 1 ? '1 Schritt' : `${number(count)} Schritte`,
  keyLasts: (duration) => `ein Schlüssel gilt ${duration}`,
  edit: 'Bearbeiten',
  editOf: (name) => `${name} bearbeiten`,
  removeOf: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} entfernen?`,
  removeWords: (steps) =>
    `Die Seite und ${steps === 1 ? 'ihr Schritt' : `ihre ${number(steps)} Schritte`} verschwinden. Verdiente Schlüssel bleiben.`,
  removed: 'Werbesystem entfernt.',
  save: 'Speichern',
  create: 'Anlegen',
  saved: 'Gespeichert.',

  name: 'Name',
  nameHint: 'Besucher lesen ihn oben auf der Seite.',
  nameMissing: 'Geben Sie einen Namen mit 1 bis 100 Zeichen ein.',
  keyDuration: 'Ein Schlüssel gilt',
  keyDurationHint: 'So viel fügt auch eine Verlängerung hinzu.',
  maxDuration: 'Höchstens',
  maxDurationHint: 'So weit in die Zukunft kann ein Schlüssel durch Verlängern gelten.',
  numberMissing: 'Geben Sie eine Zahl über 0 ein.',
  tooShort: 'Es muss mindestens so lang sein, wie ein Schlüssel gilt.',
  maxKeys: 'Schlüssel, die ein Besucher zugleich haben darf',
  maxKeysWrong: 'Geben Sie eine ganze Zahl von 1 bis 100 ein.',
  allowExtending: 'Besucher verlängern ihren Schlüssel',
  allowExtendingHint: 'Wer wiederkommt, verlängert seinen Schlüssel, statt einen weiteren zu bekommen.',
  project: 'Projekt',
  projectHint: 'Verdiente Schlüssel bleiben, wo sie sind.',

  back: 'Alle Werbesysteme',
  openPage: 'Seite öffnen',
  figures: 'Zahlen',
  completedVisits: 'Besuche vollendet',
  keys: 'Schlüssel verdient',
  stepCount: 'Schritte',
  keyTime: 'Ein Schlüssel gilt',

  page: 'Ihre Seite',
  pageHint: 'Geben Sie diese Adresse dort weiter, wo Ihre Nutzer sie finden.',
  ownAddress: 'Eigene Adresse',
  ownAddressHint:
    '3 bis 32 Buchstaben, Ziffern und Bindestriche. Wenn Sie sie ändern, führt die alte nicht mehr hierher.',
  ownAddressWrong:
    'Nehmen Sie 3 bis 32 Buchstaben, Ziffern und Bindestriche, und kein Wort, das der Dienst selbst braucht.',
  ownAddressTaken: 'Diese Adresse hat ein anderes Werbesystem. Wählen Sie eine andere.',
  takeAway: 'Wegnehmen',

  checkpoints: 'Schritte',
  checkpointsHint:
    'In der Reihenfolge, in der Besucher sie gehen. Ziehen Sie einen an seinem Griff, oder nehmen Sie die Pfeile.',
  addCheckpoint: 'Schritt hinzufügen',
  noCheckpoints: 'Noch kein Schritt',
  noCheckpointsHint:
    'Vorher können Besucher keinen Schlüssel verdienen. Ein Schritt ist ein Link, den Sie bei einem Werbeanbieter anlegen.',
  moveUp: (name) => `${name} nach oben`,
  moveDown: (name) => `${name} nach unten`,
  moved: (name, place) => `${name} ist jetzt Schritt ${number(place)}.`,
  passed: (completed, started) => `${number(completed)} von ${number(started)} geschafft`,
  whileDown: (name) => `solange er ausfällt: ${name}`,
  addressesOf: (name) => `Adressen von ${name}`,
  addresses: 'Adressen',
  removeStepTitle: (name) => `Den Schritt ${name} entfernen?`,
  removeStepWords: 'Besucher müssen ihn nicht mehr gehen. Nehmen Sie auch den Link beim Anbieter heraus.',
  stepRemoved: 'Schritt entfernt.',
  stepAdded: 'Schritt hinzugefügt. Gehen Sie Ihre Seite einmal selbst durch, bevor Sie sie weitergeben.',

  newStep: 'Neuer Schritt',
  editStep: (name) => `Schritt ${name}`,
  provider: 'Werbeanbieter',
  atProvider: 'Beim Anbieter',
  atProviderHints: {
    provider_a: 'Legen Sie dort einen Link an, dessen Ziel diese Adresse ist.',
    provider_b:
      'Legen Sie dort einen Link an, und geben Sie ihm diese Postback-Adresse. Das Ziel wird für jeden Besucher von selbst gesetzt.',
    provider_c: 'Legen Sie dort einen Link an, dessen Ziel diese Adresse mit dem Token am Ende ist.',
  },
  callback: 'Ziel',
  postback: 'Postback-Adresse',
  expires: (when) => `Für Sie reserviert: ${when}.`,
  here: 'Hier',
  stepName: 'Name',
  stepNameHint: 'Was Besucher lesen, zum Beispiel „Einen Artikel lesen“.',
  link: 'Link',
  linkHint: 'Die Adresse, die Ihnen der Anbieter für den Link gegeben hat.',
  linkMissing: 'Fügen Sie den Link ein, den Ihnen der Anbieter gegeben hat.',
  isRequired: 'Das wird gebraucht.',
  secretKept: 'Es bleibt, wie es ist, wenn Sie nichts anderes eingeben.',
  fallback: 'Solange der Anbieter ausfällt',
  noFallback: 'Besucher warten',
  newPostback: 'Ein anderer Anbieter bekommt eine neue Postback-Adresse. Sie steht nach dem Speichern hier.',
  checkIps: { off: 'Nicht vergleichen', prefix: 'Dasselbe Netz', exact: 'Genau dieselbe' },
  settings: {
    'provider_a.token': ['Token des Publishers', 'Mit ihm lässt Sie der Anbieter Besuche prüfen.'],
    'provider_a.param': [
      'Parameter',
      'Der Teil der Adresse, der das Einmal-Token zurückbringt; hash, wenn Sie es nicht wissen.',
    ],
    'provider_b.api_token': ['API-Token', 'Mit ihm verschlüsselt der Anbieter Ziele für Sie.'],
    'provider_b.require_postback': [
      'Postback verlangen',
      'Ein Besucher hat den Schritt erst geschafft, wenn der Anbieter selbst es sagt. Lassen Sie es an.',
    ],
    'provider_b.postback_secret': [
      'Geheimnis für Postbacks',
      'Postbacks müssen damit signiert sein. Es wird gebraucht, solange der Postback verlangt wird und Sie keine ohne Signatur annehmen.',
    ],
    'provider_b.unsigned_postbacks': [
      'Postbacks ohne Signatur annehmen',
      'Ohne Geheimnis kann jeder, der die Postback-Adresse erfährt, eigene Besuche bestätigen. Nur einschalten, wenn der Anbieter nicht signieren kann.',
    ],
    'provider_b.check_ip': [
      'Adressen vergleichen',
      'Wie die Adresse, die der Anbieter sah, mit der des Besuchers verglichen wird.',
    ],
    'provider_c.link_id': ['Kennung des Links', 'Tokens anderer Links werden abgelehnt.'],
    'provider_c.override': [
      'Ein Ziel je Besucher',
      'Jeder Besucher bekommt sein eigenes Ziel, damit es nicht geteilt werden kann.',
    ],
    'provider_c.delete_token': [
      'Benutzte Tokens löschen',
      'Der Anbieter vergisst ein Token nach der Prüfung, damit es nur einmal gilt.',
    ],
    'provider_c.check_ip': [
      'Adressen vergleichen',
      'Wie die Adresse, die der Anbieter sah, mit der des Besuchers verglichen wird.',
    ],
  },
  changedMeanwhile: 'Das wurde inzwischen geändert. Speichern ersetzt die Änderung.',

  warnings: 'Zu beachten',
  warnUnsigned: (name) =>
    `${name} nimmt Postbacks ohne Signatur an: Wer die Postback-Adresse erfährt, kann eigene Besuche bestätigen. Setzen Sie ein Geheimnis, wenn der Anbieter signieren kann.`,
  warnNoPostback: (name) =>
    `${name} wartet nicht auf den Postback: Wer den Rückweg kennt, hat den Schritt geschafft. Lassen Sie „Postback verlangen“ an.`,
  warnShared: (name) =>
    `${name} hat ein Ziel für alle Besucher, das geteilt werden kann. Schalten Sie „Ein Ziel je Besucher“ ein.`,
  warnReused: (name) =>
    `${name} behält benutzte Tokens, sodass eines beim Anbieter mehrmals gelten kann. Schalten Sie „Benutzte Tokens löschen“ ein.`,
  warnAnyAddress: (name) => `${name} vergleicht keine Adressen: Besuche kann jemand anders bestätigen.`,
  warnNobody: (name, started) =>
    `${number(started)} Besucher haben ${name} begonnen, und keiner wurde bestätigt. Fast immer steht ein Ziel im falschen Link, oder das Token gehört zu einem anderen Konto.`,

  funnel: 'Wie weit Besucher kommen',
  funnelHint: 'Seit es das System gibt.',
  noFunnel: 'Noch keine Besucher',
  noFunnelHint:
    'Geben Sie die Adresse der Seite weiter. Ihre Besucher erscheinen dann hier, Schritt für Schritt.',
  byDay: 'Besucher nach Tagen',
  byDayHint: 'Tage in UTC.',
  byDayOf: (name) => `Besucher nach Tagen: ${name}`,
  nobodyCame:
    'In diesem Zeitraum kam niemand. Wählen Sie einen längeren, oder geben Sie die Adresse der Seite weiter.',
  wholeWay: 'Alle Schritte',
  finished: 'Schlüssel genommen',
  newKeys: 'Neue Schlüssel',
  started: 'Begonnen',
  completed: 'Geschafft',
  share: 'Anteil',
  median: 'Übliche Dauer',
  refused: 'Abgelehnt',
  step: 'Schritt',
  began: (name) => `${name}: begonnen`,
  didPass: (name) => `${name}: geschafft`,
  reasons: {
    too_fast: 'zu schnell',
    not_verified: 'nicht bestätigt',
    not_confirmed: 'Bestätigung zu spät',
    other_address: 'andere Adresse',
    provider_down: 'Anbieter fällt aus',
    misconfigured: 'Einstellungen abgelehnt',
    attempt_expired: 'dauerte zu lange',
    step_changed: 'Schritt wurde geändert',
  },

  preview: 'Vorschau',
  previewHint: 'Was Besucher zuerst sehen. Name, Logo, Farbe und Links kommen aus dem Aussehen des Projekts.',
}

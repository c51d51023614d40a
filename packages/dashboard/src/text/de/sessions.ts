/** Live sessions. */
import { number } from '../../format.ts'
import type { sessionsText as english } from '../en/sessions.ts'
import type { Words } from '../words.ts'

export const sessionsText: Words<typeof english> = {
  intro: 'Skripte, die gerade laufen. Die Liste ändert sich von selbst.',
  label: 'Laufende Sitzungen',
  live: 'Live',
  connecting: 'Verbindet …',
  lost: 'Verbindung verloren. Die Liste kann veraltet sein; sie verbindet sich von selbst neu.',
  ended: 'Die Liste ändert sich nicht mehr von selbst.',
  connect: 'Neu verbinden',
  none: 'Nichts läuft',
  noneHint:
    'Eine Sitzung steht hier, solange ein Skript läuft, das eine Verbindung hält. Sie erscheint von selbst.',
  user: 'Nutzer',
  noUser: 'ohne Schlüssel',
  script: 'Skript',
  executor: 'Executor',
  state: 'Zustand',
  states: { ready: 'Verbunden', detached: 'Verbindung verloren' },
  since: 'Läuft seit',
  version: 'Version',
  gameUser: 'Spieler',
  place: 'Ort',
  job: 'Server',
  userKey: 'Nutzerschlüssel',
  lastSeen: 'Zuletzt gehört',
  id: 'Kennung',
  title: (executor) => `Sitzung in ${executor}`,
  openUser: 'Nutzer öffnen',
  isOver: 'Diese Sitzung ist vorbei.',
  message: 'Nachricht senden',
  messageAll: 'Nachricht an alle',
  messageMatching: 'Nachricht an alle passenden',
  messageTo: (count) => (count === 1 ? 'Nachricht an 1 Sitzung' : `Nachricht an ${number(count)} Sitzungen`),
  messageHint:
    'Das Skript behandelt Nachrichten nach ihrem Namen. Sie sehen innerhalb einer Minute, was jede Sitzung antwortet.',
  name: 'Name',
  nameHint: 'Unter dem das Skript Nachrichten behandelt.',
  noName: 'Geben Sie den Namen an, unter dem das Skript Nachrichten behandelt.',
  data: 'Daten',
  dataHint: 'JSON; leer für keine.',
  noJson: 'Das ist kein JSON.',
  send: 'Senden',
  sending: 'Wartet auf Antworten …',
  answers: 'Antworten',
  answered: (done, all) => `${number(done)} von ${number(all)} haben sie verarbeitet.`,
  nobody: 'Keine Sitzung war da, um sie zu empfangen.',
  processed: 'Verarbeitet',
  notProcessed: 'Nicht verarbeitet',
  again: 'Noch eine senden',
  disconnect: 'Trennen',
  disconnectAll: 'Alle trennen',
  disconnectMatching: 'Alle passenden trennen',
  disconnectTitle: (count) => (count === 1 ? '1 Sitzung trennen?' : `${number(count)} Sitzungen trennen?`),
  disconnectWords:
    'Was läuft, wird beendet. Nutzer können es wieder starten; um sie fernzuhalten, sperren Sie sie.',
  disconnected: (done, all) =>
    done === all
      ? `${number(done)} beendet.`
      : `${number(done)} von ${number(all)} beendet; die anderen waren vorbei.`,
}

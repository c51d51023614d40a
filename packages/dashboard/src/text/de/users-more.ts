/** Import of users, and who is in the chat server. Part of `users.ts`. */
import { number } from '../../format.ts'
import type { usersMoreText as english } from '../en/users-more.ts'
import type { Words } from '../words.ts'

const users = (count: number) => `${number(count)} Nutzer`
const rows = (count: number) => (count === 1 ? '1 Zeile' : `${number(count)} Zeilen`)
const members = (count: number) => (count === 1 ? '1 Mitglied' : `${number(count)} Mitglieder`)
const are = (count: number) => (count === 1 ? 'wird' : 'werden')

export const usersMoreText: Words<typeof english> = {
  importPlan: 'Plan derer ohne eigenes Ende',
  importHint:
    'Eine Liste von Nutzern aus diesem oder einem anderen Dienst. Nichts ändert sich, bevor Sie gesehen haben, was geschehen würde.',
  importFile: 'CSV- oder JSON-Datei',
  importPaste: 'Oder hier einfügen',
  importPasteHint: 'Mit den Namen der Spalten in der ersten Zeile, oder eine JSON-Liste.',
  reading: 'Liest …',
  noRows:
    'Darin sind keine Zeilen mit Spalten. Nehmen Sie eine CSV-Datei mit Namen in der ersten Zeile, oder eine JSON-Liste von Objekten.',
  next: 'Weiter',
  goBack: 'Zurück',
  mapping: 'Spalten',
  mappingIntro: (count) => `${rows(count)} gefunden. Sagen Sie, was jede Spalte ist.`,
  column: 'Spalte',
  firstValues: 'Erste Werte',
  isWhat: 'Ist',
  isWhatOf: (column) => `Was ${column} ist`,
  leaveOut: 'Weglassen',
  importMembers: {
    key: 'Schlüssel',
    chat_id: 'Chat-ID',
    note: 'Notiz',
    key_expires: 'Läuft ab',
    fingerprint: 'Gerät',
    executor: 'Executor',
    blacklisted: 'Gesperrt',
    blacklist_reason: 'Sperrgrund',
    blacklist_expires: 'Sperre endet',
  },
  check: 'Prüfen',
  checking: (count) => `Prüft ${rows(count)} …`,
  wouldImport: (count) => `${users(count)} ${are(count)} importiert.`,
  wouldSkip: (count) => `${rows(count)} ${are(count)} übersprungen.`,
  noPlaces: (left) =>
    `Ihr Tarif hat noch Platz für ${users(left)}, und ein Import nimmt alle oder keinen. Importieren Sie weniger, oder wechseln Sie den Tarif.`,
  importing: (count) => `Importiert ${users(count)} …`,
  importCount: (count) => `${users(count)} importieren`,
  wasImported: (count) => `${users(count)} importiert.`,
  wasSkipped: (count) => `${rows(count)} übersprungen.`,
  verdicts: 'Was aus den Zeilen wird',
  row: 'Zeile',
  verdict: 'Urteil',
  content: 'Inhalt',
  skipped: 'Übersprungen',
  fine: 'Wird importiert',
  onlyFirst: (count) => `Genannt werden die ersten ${number(count)}.`,
  downloadSkipped: 'Übersprungene Zeilen herunterladen',

  chatMembers: 'Chat-Mitglieder',
  chatNeeded:
    'Um Skripte auszuführen, müssen Nutzer in dieser Liste stehen, weil das Projekt es verlangt. Ihr Bot hält sie aktuell.',
  chatNotNeeded:
    'Das Projekt verlangt es zurzeit nicht, also entscheidet die Liste nichts. Ihr Bot hält sie aktuell.',
  chatTotal: (count) => `${members(count)} auf dem Chat-Server.`,
  addedAt: 'Hinzugefügt',
  chatIds: 'Chat-IDs',
  chatIdsHint: 'Eine je Zeile, oder mit Kommas dazwischen.',
  chatAdd: (count) => (count === 0 ? 'Hinzufügen' : `${number(count)} hinzufügen`),
  chatRemove: 'Diese entfernen',
  chatReplace: 'Liste ersetzen',
  chatReplaceTitle: 'Die ganze Liste ersetzen?',
  chatReplaceWords: (total, given) =>
    `Die Liste hat jetzt ${members(total)}. Danach hat sie ${members(given)}, und alle anderen sind draußen.`,
  chatAdded: (count) => `${members(count)} hinzugefügt.`,
  chatRemoved: (count) => `${members(count)} entfernt.`,
}

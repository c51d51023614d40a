/** Die Werte und Mitteilungen an laufende Skripte. */
import type { variablesText as english, announcementsText as englishAnnouncements } from '../en/variables.ts'
import type { Words } from '../words.ts'

export const variablesText: Words<typeof english> = {
  intro:
    'Werte, die Ihre Skripte lesen, während sie laufen, etwa eine Nachricht des Tages oder Preise. Eine Änderung erreicht laufende Skripte in Sekunden. Wer ein Skript ausführt, kann sie lesen.',
  newVariable: 'Neue Variable',
  list: 'Variablen',
  noneTitle: 'Noch keine Variablen',
  noneHint:
    'Ein Skript liest ward.vars.motd, wenn es eine Variable motd gibt. Ändern Sie sie hier, und jedes laufende Skript weiß es.',
  edit: 'Bearbeiten',
  editOf: (name) => `${name} bearbeiten`,
  name: 'Name',
  nameHint: 'Skripte lesen ihn als ward.vars.name: kleine Buchstaben, Ziffern und _.',
  nameWrong:
    'Beginnen Sie mit einem kleinen Buchstaben; dann kleine Buchstaben, Ziffern und _, höchstens 32.',
  nameTaken: 'Eine Variable mit diesem Namen gibt es schon.',
  kind: 'Geschrieben als',
  kinds: { text: 'Text', json: 'JSON' },
  value: 'Wert',
  valueHints: {
    text: 'Skripte bekommen ihn, wie er hier steht.',
    json: 'Eine Zahl, true, false, eine Liste oder ein Objekt. Alle Variablen haben zusammen 64 KiB Platz.',
  },
  valueWrong: 'Das ist kein JSON, oder es ist null.',
  scripts: 'Skripte',
  allScripts: 'Alle Skripte des Projekts',
  someScripts: 'Nur diese',
  noScripts: 'Das Projekt hat noch keine Skripte.',
  scriptsMissing: 'Wählen Sie ein Skript oder alle.',
  plans: 'Pläne',
  allPlans: 'Alle Schlüssel und Gäste',
  somePlans: 'Nur Schlüssel dieser Pläne',
  noPlans: 'Das Projekt hat noch keine Pläne.',
  plansMissing: 'Wählen Sie einen Plan oder alle Schlüssel.',
  ofScripts: (names) => `Skripte: ${names}`,
  ofPlans: (names) => `Pläne: ${names}`,
  saved: (name) => `${name} ist gespeichert.`,
  removeTitle: (name) => `${name} entfernen?`,
  removeWords: 'Laufende Skripte lesen dann nil an seiner Stelle.',
}

export const announcementsText: Words<typeof englishAnnouncements> = {
  title: 'Mitteilungen',
  intro:
    'Wer ein Skript des Projekts ausführt, bekommt eine Mitteilung, bis sie endet. Das Skript entscheidet, wie sie gezeigt wird.',
  toSwitchOff: 'Um ein Skript für eine Weile zu schließen, schalten Sie es ab und sagen Sie, warum.',
  announce: 'Mitteilen…',
  none: 'Nichts ist mitgeteilt.',
  text: 'Text',
  textHint: 'Höchstens 500 Zeichen. Nur die neueste Mitteilung zählt.',
  textMissing: 'Schreiben Sie, was Sie mitteilen.',
  level: 'Stufe',
  levels: { info: 'Hinweis', warning: 'Warnung', critical: 'Kritisch' },
  lasts: 'Endet nach',
  ends: 'Endet',
  send: 'Mitteilen',
  sent: 'Es ist mitgeteilt.',
  removeTitle: 'Diese Mitteilung entfernen?',
  removeWords: 'Laufende Skripte sehen dann die vorige oder keine.',
}

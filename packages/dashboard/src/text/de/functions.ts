/** Die Serverfunktionen eines Skripts. */
import { number } from '../../format.ts'
import type { functionsText as english } from '../en/functions.ts'
import type { Words } from '../words.ts'

export const functionsText: Words<typeof english> = {
  tab: 'Funktionen',
  title: 'Serverfunktionen',
  intro:
    'Der Dienst führt sie aus, wenn ein laufendes Skript ward.ask aufruft. Nutzer bekommen die Antwort, nie den Quelltext.',
  guide: 'Was man den Dienst fragt',
  noneTitle: 'Noch keine Serverfunktionen',
  noneHint:
    'Was ein Skript enthält, können seine Nutzer lesen. Legen Sie eine Formel, einen Preis oder eine Entscheidung, die geheim bleiben muss, hier als Funktion ab: Ein laufendes Skript ruft ward.ask auf, der Dienst führt die Funktion aus, und das Skript bekommt nur die Antwort.',
  newFunction: 'Neue Funktion',
  all: 'Alle Funktionen',
  open: 'Bearbeiten und ausprobieren',
  calls: (count) => (count === 1 ? '1 Aufruf' : `${number(count)} Aufrufe`),
  failures: (count) => (count === 1 ? '1 Fehler' : `${number(count)} Fehler`),
  changed: 'Geändert',
  lastFailure: 'Letzter Fehler',
  removeTitle: (name) => `${name} entfernen?`,
  removeWords:
    'Skripte, die danach fragen, bekommen dann nil und eine Meldung. Quelltext und Zählung sind weg und lassen sich nicht zurückholen.',

  asked: 'Ein Skript fragt danach mit',
  name: 'Name',
  nameHint: 'Skripte fragen mit diesem Namen danach: Kleinbuchstaben, Ziffern und _.',
  nameWrong:
    'Beginnen Sie mit einem Kleinbuchstaben; dann Kleinbuchstaben, Ziffern und _, zusammen höchstens 40.',
  nameTaken: 'Eine Funktion mit diesem Namen gibt es schon.',
  source: 'Quelltext der Funktion',
  sourceHint:
    'Luau, das eine Funktion zurückgibt. Sie bekommt Angaben zum Lauf, dann die Werte, die das Skript geschickt hat. Strg+F sucht, Tab verlässt den Editor.',
  noSource: 'Es gibt noch keinen Quelltext.',
  saved: (name) => `${name} ist gespeichert. Läufe, die ab jetzt fragen, bekommen es so.`,

  tryTitle: 'Ausprobieren',
  tryHint: 'Sie läuft auf dem Dienst, unter den Grenzen eines echten Aufrufs. Gezählt wird nichts.',
  values: 'Werte',
  valuesHint: 'Was das Skript nach dem Namen schickt, als JSON-Liste, etwa ["gold", 3].',
  valuesWrong: 'Schreiben Sie eine JSON-Liste, etwa ["gold", 3], oder [] ohne Werte.',
  run: 'Angaben zum Lauf',
  runHint:
    'Ein JSON-Objekt, etwa {"plan": "Pro", "features": {"turbo": true}}. Was Sie weglassen, ist wie bei einem Gast.',
  runWrong: 'Schreiben Sie ein JSON-Objekt, etwa {"plan": "Pro"}, oder {} für einen Gast.',
  unsaved: 'Es läuft der gespeicherte Quelltext. Speichern Sie Ihren zuerst, um ihn auszuprobieren.',
  tryButton: 'Ausprobieren',
  trying: 'Läuft …',
  answer: 'Antwort',
  noAnswer: 'Es kam keine Antwort. Skripte bekommen nil und eine Meldung, ohne diese Worte:',
  printed: 'Ausgegeben',
  took: (ms) => `Es dauerte ${number(ms)} ms Prozessorzeit.`,
}

/** Wie neue Schlüssel aussehen. */
import type { keyFormatsText as english } from '../en/key-formats.ts'
import type { Words } from '../words.ts'

export const keyFormatsText: Words<typeof english> = {
  label: 'Neue Schlüssel sehen so aus',
  hint: 'Zum Beispiel HUB-XXXXX-XXXXX-XXXXX-XXXXX-X: Jedes X ist zufällig, das letzte erkennt Tippfehler. Leer: 32 Buchstaben und Ziffern.',
  own: 'Anderes Schlüsselformat',
  ownLabel: 'Schlüsselformat',
  ownHint: 'Etwa HUB-XXXXX-XXXXX-XXXXX-XXXXX-X. Leer: wie es in den Einstellungen des Projekts steht.',
  example: 'Ein neuer Schlüssel:',
  missing: (count: number) => `Noch ${count} X, damit niemand einen Schlüssel erraten kann.`,
  tooMany: 'Höchstens 32 X.',
  noGroups: 'Ergänzen Sie ein Präfix oder ein - zwischen zwei Gruppen.',
  prefixWrong: 'Das Präfix hat höchstens 12 Buchstaben von A bis Z und Ziffern.',
  groupsWrong: 'Nach dem Präfix stehen Gruppen von X mit einem - dazwischen.',
}

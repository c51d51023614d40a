/** Was ein Autor zu einem Schlüssel festhält. */
import type { labelsText as english } from '../en/labels.ts'
import type { Words } from '../words.ts'

export const labelsText: Words<typeof english> = {
  tag: 'Schlagwort',
  tags: 'Schlagwörter',
  tagsHint: 'Durch Kommas getrennt, höchstens 32 mit höchstens 40 Zeichen. Skripte können sie lesen.',
  tagsWrong: 'Geben Sie höchstens 32 Schlagwörter mit je höchstens 40 Zeichen ein.',
  metadata: 'Eigene Daten',
  metadataFilter: 'Eigene Daten (Name=Wert)',
  metadataHint:
    'JSON für Ihre Zwecke. Skripte können nur lesen, was unter "public" steht, sonst nichts davon.',
  metadataWrong: 'Geben Sie ein JSON-Objekt wie {"order": 1001} mit höchstens 8 KiB ein.',
  issuedTo: 'Ausgegeben an',
  issuedBy: 'Ausgegeben von',
  issuedWrong: 'Geben Sie höchstens 255 Zeichen ein.',
  issued: 'Ausgegeben',
  alreadyIssued: 'schon ausgegeben',
  alreadyUsed: 'schon benutzt',
}

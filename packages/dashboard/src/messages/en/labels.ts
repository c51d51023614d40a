/** What an author keeps of a key: tags, metadata, and to whom it was handed out. */
export const labelsText = {
  tag: 'Tag',
  tags: 'Tags',
  tagsHint: 'Separated by commas, at most 32 of at most 40 characters. Scripts can read them.',
  tagsWrong: 'Give at most 32 tags of at most 40 characters each.',
  metadata: 'Metadata',
  metadataFilter: 'Metadata (name=value)',
  metadataHint: 'JSON of your own. Scripts can read its member "public" and nothing else of it.',
  metadataWrong: 'Give a JSON object such as {"order": 1001}, of at most 8 KiB.',
  issuedTo: 'Handed out to',
  issuedBy: 'Handed out by',
  issuedWrong: 'Give at most 255 characters.',
  issued: 'Handed out',
  alreadyIssued: 'already handed out',
  alreadyUsed: 'already used',
} as const

/** How new keys look, and what an author keeps of one: tags, metadata, and to whom it was handed out. */

export const keyFormatsText = {
  label: 'New keys look like',
  hint: 'For example HUB-XXXXX-XXXXX-XXXXX-XXXXX-X: each X is random, the last one finds typing errors. Empty: 32 letters and digits.',
  own: 'Another key format',
  ownLabel: 'Key format',
  ownHint: 'Such as HUB-XXXXX-XXXXX-XXXXX-XXXXX-X. Empty: as the settings of the project say.',
  example: 'A new key:',
  missing: (count: number) => `${count} more X, so that no key can be guessed.`,
  tooMany: 'At most 32 X.',
  noGroups: 'Add a prefix, or a - between two groups.',
  prefixWrong: 'The prefix has at most 12 letters from A to Z and digits.',
  groupsWrong: 'After the prefix stand groups of X, with a - between them.',
}

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

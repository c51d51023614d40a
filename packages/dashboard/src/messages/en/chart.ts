/** Messages for charts. */
export const chartText = {
  resetZoom: 'Reset zoom',
  soFar: (time: string) => `${time}, so far`,
} as const

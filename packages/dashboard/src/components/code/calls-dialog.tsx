/** Shows the page's latest API calls as curl commands and SDK code that work with a token. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { text } from '../../messages/text.ts'
import { type Call, useCalls } from '../../queries/api-call-log.ts'
import { SelectField } from '../fields/select-field.tsx'
import { Dialog } from '../overlays/dialog.tsx'
import { Tabs } from '../tabs.tsx'
import { curlOf, type Operations, operationsIn, sdkOf } from './api-samples.ts'
import { Snippet } from './snippet.tsx'

export function CallsDialog({ onClose }: { onClose: () => void }) {
  const calls = useCalls()
  const [id, setId] = useState<number | undefined>(calls[0]?.id)
  const call = calls.find((each) => each.id === id) ?? calls[0]
  return (
    <Dialog title={text.frame.apiCallTitle} isWide onClose={onClose}>
      <p className="hint">{text.frame.apiCallHint}</p>
      {call === undefined ? (
        <p>{text.frame.noCalls}</p>
      ) : (
        <>
          <SelectField
            label={text.frame.apiCall}
            value={call.id}
            options={calls.map((each) => [String(each.id), `${each.method} ${each.path}`])}
            onChange={(event) => setId(Number(event.target.value))}
          />
          <Samples call={call} />
        </>
      )}
    </Dialog>
  )
}

function Samples({ call }: { call: Call }) {
  const document = useQuery({
    queryKey: ['openapi'],
    queryFn: async (): Promise<Operations> => operationsIn(await (await fetch('/openapi.json')).json()),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const curl = curlOf(call, location.origin)
  const sdk = sdkOf(call, location.origin, document.data ?? [])
  return (
    <Tabs
      label={text.frame.apiCall}
      tabs={[
        { id: 'curl', title: text.frame.curl, content: <Snippet code={curl} label={text.frame.curl} /> },
        { id: 'sdk', title: text.frame.sdk, content: <Snippet code={sdk} label={text.frame.sdk} /> },
      ]}
    />
  )
}

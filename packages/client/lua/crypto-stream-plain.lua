-- Template for ChaCha20 in plain arithmetic, with the placeholders of crypto-stream-text.lua. l and h hold
-- halves of 16 bits: sums stay small, a rotation by 16 is a swap, and a rotation by 8 is a shift by one byte.
return {
  load = 'local lI,hI=s[I]%65536,(s[I]-s[I]%65536)/65536 ',
  turn = 'lA=lA+lB hA=hA+hB if lA>65535 then lA=lA-65536 hA=hA+1 end if hA>65535 then hA=hA-65536 end '
    .. 'u=lD%256 v=lA%256 w=hD%256 z=hA%256 u,v,w,z=X[u*256+v],X[lD-u+(lA-v)/256],X[w*256+z],X[hD-w+(hA-z)/256]',
  [16] = 'hD=u+v*256 lD=w+z*256 ',
  [12] = 'u=u+v*256 w=w+z*256 v=u%16 z=w%16 lD=(w-z)/16+v*4096 hD=(u-v)/16+z*4096 ',
  [8] = 'lD=z+u*256 hD=v+w*256 ',
  [7] = 'u=u*256+z w=w*256+v v=u%2 z=w%2 lD=(u-v)/2+z*32768 hD=(w-z)/2+v*32768 ',
  output = 'do local a,b,c,d=byte(text,p+4*I-4,p+4*I-1)u=s[I]%65536 v=(s[I]-u)/65536+hI u=u+lI '
    .. 'if u>65535 then u=u-65536 v=v+1 end if v>65535 then v=v-65536 end w=u%256 z=v%256 '
    .. 'out[n+I]=char(X[w*256+a],X[u-w+b],X[z*256+c],X[v-z+d])end ',
}

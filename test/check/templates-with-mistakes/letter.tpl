Dear {{ .name }},

  {{ $total := 1 }}{{ $totl }} ${PRICE}

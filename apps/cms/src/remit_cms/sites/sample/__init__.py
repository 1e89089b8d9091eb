"""The sample site: a bakery in English and German, whose texts are in a file and whose pictures are drawn."""

"""URLs, without any network: text becomes a `NormalisedUrl`, an address becomes a reason to refuse it or none."""

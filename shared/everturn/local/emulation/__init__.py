"""S3 and SQS emulated by moto, behind locks that make writes atomic."""
